"""Random secrets of many kinds, assembled at run time so that no file holds one."""

import base64
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URL64 = ALNUM + "_-"
B64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + string.digits


@dataclass(frozen=True, slots=True)
class PlantedSecret:
    """A secret. ``name`` is the variable that holds it, ``carrier`` the text around it in its
    value."""

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
            if (
                sum(map(str.isdigit, word)) > 1
                and word[-1] not in "-_"
                and word[0] not in "-_"
            ):
                return word

    def base64(self, count: int) -> str:
        return base64.b64encode(self.chance.randbytes(count)).decode()

    def jwt(self) -> str:
        parts = [
            {"alg": "HS256", "typ": "JWT"},
            {"sub": self.word(10), "iat": self.chance.randrange(10**9)},
        ]
        words = [
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
            for part in parts
        ]
        return ".".join([*words, self.word(43, URL64)])

    def pem(self, of: str, lines: int) -> str:
        body = "\n".join(self.base64(48) for _ in range(lines))
        head = " ".join(filter(None, (of, "PRIVATE", "KEY")))
        return f"-----BEGIN {head}-----\n{body}\n-----END {head}-----"

    def discord(self) -> str:
        number = base64.b64encode(
            str(self.chance.randrange(10**17, 10**18)).encode()
        ).decode()
        return f"{number}.{self.word(6, URL64)}.{self.word(38, URL64)}"

    def login(self, user: str) -> str:
        return base64.b64encode(f"{user}:{self.word(14)}".encode()).decode()


def planted_secrets(seed: str) -> tuple[PlantedSecret, ...]:
    """Return one secret of each kind, assembled here so that this file holds no key."""
    make = Maker(seed)
    return (*_by_prefix(make), *_by_place(make), *_by_name(make))


def _by_prefix(make: Maker) -> Iterator[PlantedSecret]:
    word = make.word
    yield PlantedSecret(
        "AWS access key", "AWS_ACCESS_KEY_ID", "AK" + "IA" + word(16, UPPER)
    )
    yield PlantedSecret("GitHub", "GITHUB_TOKEN", "gh" + "p_" + word(36))
    yield PlantedSecret("GitHub app", "GH_TOKEN", "gh" + "s_" + word(36))
    yield PlantedSecret(
        "GitHub fine-grained",
        "GITHUB_PAT",
        "github" + "_pat_" + word(22) + "_" + word(59),
    )
    yield PlantedSecret("GitLab", "GITLAB_TOKEN", "gl" + "pat-" + word(20, URL64))
    slack = f"xo{'xb'}-{word(12, '123456789')}-{word(12, '123456789')}-{word(24)}"
    yield PlantedSecret("Slack bot", "SLACK_BOT_TOKEN", slack)
    yield PlantedSecret("Stripe", "STRIPE_KEY", "sk_" + "live_" + word(24))
    yield PlantedSecret("OpenAI", "OPENAI_API_KEY", "sk-" + "proj-" + word(64, URL64))
    yield PlantedSecret("OpenAI old", "OPENAI_KEY", "sk-" + word(48))
    yield PlantedSecret(
        "Anthropic", "ANTHROPIC_API_KEY", "sk-" + "ant-api03-" + word(93, URL64) + "AA"
    )
    yield PlantedSecret(
        "OpenRouter", "OPENROUTER_KEY", "sk-" + "or-v1-" + word(64, HEX)
    )
    yield PlantedSecret("Google API", "GOOGLE_API_KEY", "AI" + "za" + word(35, URL64))
    yield PlantedSecret(
        "Google OAuth", "GOOGLE_CLIENT_SECRET", "GOC" + "SPX-" + word(28, URL64)
    )
    yield PlantedSecret(
        "Google access", "GCLOUD_TOKEN", "ya" + "29." + word(120, URL64)
    )
    yield PlantedSecret("JWT", "ID_TOKEN", make.jwt())
    yield PlantedSecret("npm", "NPM_TOKEN", "np" + "m_" + word(36))
    yield PlantedSecret("PyPI", "TWINE_PASSWORD", "py" + "pi-" + word(160, URL64))
    yield PlantedSecret("Hugging Face", "HF_TOKEN", "h" + "f_" + word(34))
    yield PlantedSecret(
        "SendGrid", "SENDGRID_KEY", "S" + "G." + word(22, URL64) + "." + word(43, URL64)
    )
    yield PlantedSecret(
        "Telegram",
        "TELEGRAM_TOKEN",
        word(9, "123456789") + ":" + "AA" + word(33, URL64),
    )
    yield PlantedSecret("Discord", "DISCORD_TOKEN", make.discord())
    yield PlantedSecret("DigitalOcean", "DO_TOKEN", "do" + "p_v1_" + word(64, HEX))
    yield PlantedSecret("Databricks", "DATABRICKS_TOKEN", "da" + "pi" + word(32, HEX))
    yield PlantedSecret("Vault", "VAULT_TOKEN", "hv" + "s." + word(95, URL64))
    yield PlantedSecret("Groq", "GROQ_KEY", "gs" + "k_" + word(52))
    claims = (
        base64.urlsafe_b64encode(json.dumps({"u": "shop", "a": word(25)}).encode())
        .decode()
        .rstrip("=")
    )
    yield PlantedSecret("Mapbox", "MAPBOX_TOKEN", f"s{'k.'}{claims}.{word(22, URL64)}")
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
        "JWK": (word(43, URL64), '{{"kty":"EC","crv":"P-256","d":"{}","use":"sig"}}'),
        "mysql -p": (word(10) + "#", "mysql -u root -p{} shop"),
        "redis -a": (word(18), "redis-cli -h cache -a {} ping"),
        "WITH PASSWORD": (word(9) + "!", "CREATE ROLE app LOGIN WITH PASSWORD '{}';"),
        "IDENTIFIED BY": (word(9) + "!", "CREATE USER app IDENTIFIED BY '{}';"),
        "Sentry DSN": (word(32, HEX), "https://{}@o41.ingest.sentry.io/77"),
        "kaggle": (word(32, HEX), '{{"username":"ada","key":"{}"}}'),
        "sshpass": (word(9) + "%", "sshpass -p {} ssh ada@host"),
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
        "password of letters and digits": (
            "PASSWORD",
            f"Sup{word(2, '123456789')}r{word(5)}",
        ),
        "client secret": ("CLIENT_SECRET", word(40, ALNUM + "~_")),
        "docker auth": ("auth", make.login("ada")),
        "kubeconfig key": (
            "client-key-data",
            base64.b64encode(make.pem("EC", 3).encode()).decode(),
        ),
        "encryption key": ("ENCRYPTION_KEY", word(64, HEX)),
        "API key": ("DATADOG_API_KEY", word(32, HEX)),
        "JWT secret": ("JWT_SECRET", word(44, B64)),
        "token with dots": ("NAME_TOKEN", f"{word(6)}.{word(5)}.{word(9)}"),
        "password with blanks": ("DB_PASSWORD", f"{word(5)} {word(4)}! {word(6)}"),
        "DB_PASS": ("DB_PASS", word(7) + "!" + word(2)),
        "pass": ("pass", word(12) + "$"),
        "Rails": ("SECRET_KEY_BASE", word(128, HEX)),
        "Rails master key": ("RAILS_MASTER_KEY", word(32, HEX)),
        "Laravel": ("APP_KEY", "base64:" + make.base64(32)),
        "Django": ("SECRET_KEY", word(40) + "!@#(" + word(6)),
        "Fernet": ("FERNET_KEY", make.base64(32)),
        "private token": ("PRIVATE_TOKEN", word(24, URL64)),
    }
    for kind, (name, secret) in names.items():
        yield PlantedSecret(kind, name, secret, has_prefix=False)
