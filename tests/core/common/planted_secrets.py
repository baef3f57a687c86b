"""Random secrets of many kinds, and the wrappings in which a transcript holds them."""

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from core.common.json_value import Json

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL64 = ALNUM + "_-"
B64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + string.digits


@dataclass(frozen=True, slots=True)
class PlantedSecret:
    """A secret. ``name`` is the variable that holds it, ``carrier`` the text around it in its value."""

    kind: str
    name: str
    secret: str
    carrier: str = "{}"
    has_prefix: bool = True
    """True if a fixed prefix identifies it; otherwise its name or carrier does."""

    @property
    def value(self) -> str:
        return self.carrier.format(self.secret)


class Maker:
    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def word(self, count: int, signs: str = ALNUM) -> str:
        """Return ``count`` characters with two digits, as nearly every key of such a length has."""
        while True:
            word = "".join(self.chance.choices(signs, k=count))
            if sum(map(str.isdigit, word)) > 1 and word[-1] not in "-_" and word[0] not in "-_":
                return word

    def base64(self, count: int) -> str:
        return base64.b64encode(self.chance.randbytes(count)).decode()

    def jwt(self) -> str:
        parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": self.word(10), "iat": self.chance.randrange(10**9)}]
        words = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
        return ".".join([*words, self.word(43, URL64)])

    def pem(self, of: str, lines: int) -> str:
        body = "\n".join(self.base64(48) for _ in range(lines))
        head = " ".join(filter(None, (of, "PRIVATE", "KEY")))
        return f"-----BEGIN {head}-----\n{body}\n-----END {head}-----"

    def discord(self) -> str:
        number = base64.b64encode(str(self.chance.randrange(10**17, 10**18)).encode()).decode()
        return f"{number}.{self.word(6, URL64)}.{self.word(38, URL64)}"

    def login(self, user: str) -> str:
        return base64.b64encode(f"{user}:{self.word(14)}".encode()).decode()


def planted_secrets(seed: str) -> tuple[PlantedSecret, ...]:
    """Return one secret of each kind, assembled here so that this file holds no key."""
    make = Maker(seed)
    return (*_by_prefix(make), *_by_place(make), *_by_name(make))


def _by_prefix(make: Maker) -> Iterator[PlantedSecret]:
    word = make.word
    yield PlantedSecret("AWS access key", "AWS_ACCESS_KEY_ID", "AK" + "IA" + word(16, UPPER))
    yield PlantedSecret("GitHub", "GITHUB_TOKEN", "gh" + "p_" + word(36))
    yield PlantedSecret("GitHub app", "GH_TOKEN", "gh" + "s_" + word(36))
    yield PlantedSecret("GitHub fine-grained", "GITHUB_PAT", "github" + "_pat_" + word(22) + "_" + word(59))
    yield PlantedSecret("GitLab", "GITLAB_TOKEN", "gl" + "pat-" + word(20, URL64))
    slack = f"xo{'xb'}-{word(12, '123456789')}-{word(12, '123456789')}-{word(24)}"
    yield PlantedSecret("Slack bot", "SLACK_BOT_TOKEN", slack)
    yield PlantedSecret("Stripe", "STRIPE_KEY", "sk_" + "live_" + word(24))
    yield PlantedSecret("OpenAI", "OPENAI_API_KEY", "sk-" + "proj-" + word(64, URL64))
    yield PlantedSecret("OpenAI old", "OPENAI_KEY", "sk-" + word(48))
    yield PlantedSecret("Anthropic", "ANTHROPIC_API_KEY", "sk-" + "ant-api03-" + word(93, URL64) + "AA")
    yield PlantedSecret("OpenRouter", "OPENROUTER_KEY", "sk-" + "or-v1-" + word(64, HEX))
    yield PlantedSecret("Google API", "GOOGLE_API_KEY", "AI" + "za" + word(35, URL64))
    yield PlantedSecret("Google OAuth", "GOOGLE_CLIENT_SECRET", "GOC" + "SPX-" + word(28, URL64))
    yield PlantedSecret("Google access", "GCLOUD_TOKEN", "ya" + "29." + word(120, URL64))
    yield PlantedSecret("JWT", "ID_TOKEN", make.jwt())
    yield PlantedSecret("npm", "NPM_TOKEN", "np" + "m_" + word(36))
    yield PlantedSecret("PyPI", "TWINE_PASSWORD", "py" + "pi-" + word(160, URL64))
    yield PlantedSecret("Hugging Face", "HF_TOKEN", "h" + "f_" + word(34))
    yield PlantedSecret("SendGrid", "SENDGRID_KEY", "S" + "G." + word(22, URL64) + "." + word(43, URL64))
    yield PlantedSecret("Telegram", "TELEGRAM_TOKEN", word(9, "123456789") + ":" + "AA" + word(33, URL64))
    yield PlantedSecret("Discord", "DISCORD_TOKEN", make.discord())
    yield PlantedSecret("DigitalOcean", "DO_TOKEN", "do" + "p_v1_" + word(64, HEX))
    yield PlantedSecret("Databricks", "DATABRICKS_TOKEN", "da" + "pi" + word(32, HEX))
    yield PlantedSecret("Vault", "VAULT_TOKEN", "hv" + "s." + word(95, URL64))
    yield PlantedSecret("Groq", "GROQ_KEY", "gs" + "k_" + word(52))
    yield PlantedSecret("Twilio key", "TWILIO_SID", "S" + "K" + word(32, HEX))
    yield PlantedSecret("PEM", "TLS_KEY", make.pem("RSA", 12))
    yield PlantedSecret("SSH key", "DEPLOY", make.pem("OPENSSH", 5))


def _by_place(make: Maker) -> Iterator[PlantedSecret]:
    word = make.word
    places = {
        "Slack webhook": (
            f"T{word(10, UPPER)}/B{word(10, UPPER)}/{word(24)}",
            "https://hooks.slack.com/services/{}",
        ),
        "Discord webhook": (
            f"{word(18, '123456789')}/{word(68, URL64)}",
            "https://discord.com/api/webhooks/{}",
        ),
        "database URL": (word(14), "postgres://app:{}@db.internal:5432/shop"),
        "basic-auth URL": (word(12) + "!", "https://ada:{}@git.acme-tools.net/x.git"),
        "Bearer header": (word(40), "Authorization: Bearer {}"),
        "Basic header": (make.login("ada"), "Authorization: Basic {}"),
        "cookie": (f"sessionid={word(32)}", "Cookie: {}"),
        "Azure connection": (
            make.base64(64),
            "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={};EndpointSuffix=core.windows.net",
        ),
        "SAS": (
            quote(make.base64(32), safe=""),
            "https://shop.blob.core.windows.net/c/f?sv=2024-11-04&ss=b&sig={}",
        ),
        "curl -u": (word(11) + "!", "curl -u ada:{} https://api.acme-tools.net/v1"),
        "--token": (word(32), "deployctl --region eu --token {} up"),
        "--password": (word(10) + "#", "mysqldump --user shop --password {} shop"),
        ".netrc": (word(14), "machine git.acme-tools.net login ada password {}"),
        "mail": (f"grace.hopper{word(3, '123456789')}@acme-tools.net", "{}"),
    }
    for kind, (secret, carrier) in places.items():
        yield PlantedSecret(kind, "NOTE", secret, carrier, has_prefix=False)


def _by_name(make: Maker) -> Iterator[PlantedSecret]:
    word = make.word
    names = {
        "AWS secret": ("AWS_SECRET_ACCESS_KEY", word(40, B64)),
        "Azure account key": ("AccountKey", make.base64(64)),
        "Twilio token": ("TWILIO_AUTH_TOKEN", word(32, HEX)),
        "password with a sign": ("DB_PASSWORD", word(7) + "!" + word(2)),
        "password of letters and digits": ("PASSWORD", f"Sup{word(2, '123456789')}r{word(5)}"),
        "client secret": ("CLIENT_SECRET", word(40, ALNUM + "~_")),
        "docker auth": ("auth", make.login("ada")),
        "kubeconfig key": ("client-key-data", base64.b64encode(make.pem("EC", 3).encode()).decode()),
        "encryption key": ("ENCRYPTION_KEY", word(64, HEX)),
        "API key": ("DATADOG_API_KEY", word(32, HEX)),
        "JWT secret": ("JWT_SECRET", word(44, B64)),
        "private token": ("PRIVATE_TOKEN", word(24, URL64)),
    }
    for kind, (name, secret) in names.items():
        yield PlantedSecret(kind, name, secret, has_prefix=False)


@dataclass(frozen=True, slots=True)
class WrappedSecret:
    """The content of a transcript (a text or a JSON value), and the pieces of the secret in it."""

    value: Json
    pieces: tuple[str, ...]


Wrap = Callable[[PlantedSecret, random.Random], WrappedSecret]


def _lines(secret: str) -> tuple[str, ...]:
    return tuple(secret.split("\n"))


def _whole(value: Callable[[PlantedSecret], Json]) -> Wrap:
    return lambda one, chance: WrappedSecret(value(one), _lines(one.secret))


def _text(form: str) -> Wrap:
    return _whole(lambda one: form.replace("NAME", one.name).replace("VALUE", one.value))


def _flat(form: str) -> Wrap:
    """Fill the template on one line; line breaks of the secret are escaped."""
    return _whole(lambda one: form.replace("NAME", one.name).replace("VALUE", one.value.replace("\n", "\\n")))


def _pair(one: PlantedSecret) -> dict[str, Json]:
    return {"id": 7, one.name: one.value, "note": "done"}


def _in_url(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    pieces = tuple(quote(line, safe="") for line in _lines(one.secret))
    return WrappedSecret(f"GET https://a.site.org/in?{one.name}={quote(one.value, safe='')}&state=ok", pieces)


def _base64(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    word = base64.b64encode(f"{one.name}={one.value}\n".encode()).decode()
    return WrappedSecret(f"data: {word}", (word,))


def _xml(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    value = one.value.replace("&", "&amp;").replace("\n", "&#10;")
    pieces = _lines(one.secret.replace("&", "&amp;"))
    return WrappedSecret(f'<add key="{one.name}" value="{value}" />', pieces)


def _call(one: PlantedSecret) -> Json:
    command = json.dumps({"command": f"{one.name}='{one.value}' make deploy"})
    return {"function": {"name": "bash", "arguments": command}}


def _arguments(one: PlantedSecret) -> Json:
    if one.carrier != "{}":
        return ["bash", "-lc", one.value]
    option = f"--{one.name.lower().replace('_', '-').removeprefix('github-')}"
    return {"argv": ["run", option, one.secret, "-v"]}


def _broken_lines(before: str, behind: str, *, width: int = 80) -> Wrap:
    """Break a full line inside the secret: ``before`` ends it, ``behind`` begins the next."""

    def wrap(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
        line, secret = (text.replace("\n", "\\n") for text in (f"{one.name}={one.value}", one.secret))
        at = line.index(secret) + chance.randrange(1, len(secret))
        room = width - at % width
        pad = ("so it is set " * 7)[-room:-1].lstrip() + " " if room < width else ""
        text = pad + line
        cuts = [text[place : place + width] for place in range(0, len(text), width)]
        joint = f"{before}\n{behind}"
        places = (len(pad) + line.index(secret), len(pad) + line.index(secret) + len(secret))
        return WrappedSecret(joint.join(cuts) + "\nand it went on", tuple(_cut(text, *places, width)))

    return wrap


def _cut(text: str, start: int, end: int, width: int) -> Iterator[str]:
    """Return the pieces of a secret in a text that is broken every ``width`` characters."""
    while start < end:
        stop = min(end, (start // width + 1) * width)
        yield from text[start:stop].split("\\n")
        start = stop


def _two_texts(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    line, secret = (text.replace("\n", "\\n") for text in (f"{one.name}={one.value}", one.secret))
    begin = line.index(secret)
    at = begin + chance.randrange(1, len(one.secret))
    text = json.dumps(["first", line[:at], line[at:], "last"], indent=2)
    pieces = [*line[begin:at].split("\\n"), *line[at : begin + len(secret)].split("\\n")]
    return WrappedSecret(text, tuple(pieces))


def _two_values(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    given = _two_texts(one, chance)
    return WrappedSecret(json.loads(str(given.value)), given.pieces)


WRAPPINGS: dict[str, Wrap] = {
    "a sentence": _text("Please use NAME=VALUE for it, thanks."),
    "JSON": _whole(lambda one: json.dumps(_pair(one))),
    "JSON in JSON": _whole(lambda one: json.dumps({"body": json.dumps(_pair(one))})),
    "quotes as \\u0022": _whole(lambda one: json.dumps(_pair(one)).replace('"', "\\u0022")),
    "YAML": _flat("shop:\n  NAME: VALUE\n  port: 80\n"),
    "TOML": _flat('[shop]\nNAME = "VALUE"\nport = 80\n'),
    "a file .env": _flat("PORT=80\nNAME=VALUE\nDEBUG=0\n"),
    "export": _text("export NAME='VALUE' && make"),
    "a header": _flat("> POST /v1\n> X-NAME: VALUE\n> Accept: */*\n"),
    "an address": _in_url,
    "a patch": _flat("@@ -1 +1 @@\n-NAME=none\n+NAME=VALUE\n"),
    "colours": _flat("\x1b[36mNAME\x1b[0m=\x1b[33mVALUE\x1b[0m\n"),
    "Markdown": _text("Set it:\n```sh\nNAME=VALUE\n```\n"),
    "numbered lines": _flat("     6\tPORT=80\n     7\tNAME=VALUE\n     8\tDEBUG=0\n"),
    "a table": _flat("| name | value |\n| --- | --- |\n| NAME | VALUE |\n"),
    "XML": _xml,
    "Python": _whole(lambda one: repr(_pair(one))),
    "base64": _base64,
    "an escaped break": _flat("done\\nNAME=VALUE\\nnext"),
    "a log": _flat("2026-03-01T10:00:00Z INFO start NAME=VALUE pid=4120"),
    "JavaScript": _flat('const settings = { NAME: "VALUE", port: 80 };'),
    "a field": _whole(lambda one: {"type": "tool_use", "input": _pair(one)}),
    "a call": _whole(_call),
    "arguments": _whole(_arguments),
    "arguments as text": _whole(lambda one: json.dumps(_arguments(one))),
    "broken": _broken_lines("", ""),
    "broken, with a backslash": _broken_lines("\\", ""),
    "broken, with an indent": _broken_lines("", "    "),
    "broken, in a patch": _broken_lines("", "+", width=72),
    "broken over two texts": _two_texts,
    "broken over two values": _two_values,
}


def is_covered(pieces: tuple[str, ...], left: str) -> bool:
    """Return True if at most four adjacent characters of a secret are left."""
    runs = (piece[at : at + 5] for piece in pieces for at in range(len(piece) - 4))
    shown = re.sub(r"\[redacted:[a-z-]+\]", "█", left)
    return not any(run in shown for run in runs)
