// Foldline compacts the messages that the agent sends to its model once they reach the trigger of the strategy
// that is set in Foldline. Where the agent compacts by itself, its summary gets what it lacks as excerpts. The
// stored session stays whole. If anything fails, nothing more is compacted or added.
// Written by "foldline hook install"; "foldline hook remove" deletes it.
import { spawn } from "node:child_process"

const COMMAND: string[] = [] // set by "foldline hook install"
const OPTIONS: string[] = [] // set by "foldline hook install"
const TIME_LIMIT = 120_000 // milliseconds; a model may write the summary
const LOST = "The summary of the earlier conversation left out these lines of it."

type Message = Record<string, any>

/** How an agent's messages become a transcript for Foldline, and where it states the tokens of a request. */
interface Agent {
  write(messages: Message[]): string
  read(text: string): Message[]
  usage(message: Message): number
  /** Tell whether a message is the summary of the agent's own compaction. */
  isSummary(message: Message): boolean
  /** Return such a message with text behind its own. */
  lengthened(message: Message, text: string): Message
}

const jsonLines = (values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n") + "\n"

const pi: Agent = {
  write(messages) {
    const stamp = new Date(0).toISOString()
    const lines: Message[] = [{ type: "session", version: 3, id: "context", timestamp: stamp, cwd: process.cwd() }]
    messages.forEach((message, index) => {
      const parentId = index ? `m${index - 1}` : null
      lines.push({ type: "message", id: `m${index}`, parentId, timestamp: stamp, message })
    })
    return jsonLines(lines)
  },
  read(text) {
    const entries = text.split("\n").filter(Boolean).map((line) => JSON.parse(line))
    return entries.filter((entry) => entry.type === "message").map((entry) => entry.message)
  },
  usage({ usage }) {
    return usage ? usage.input + usage.output + usage.cacheRead + usage.cacheWrite : 0
  },
  isSummary: ({ role }) => role === "compactionSummary",
  lengthened: (message, text) => ({ ...message, summary: `${message.summary}\n\n${text}` }),
}

const opencode: Agent = {
  write(messages) {
    const id = messages[0].info.sessionID
    const info = { id, title: "context", directory: process.cwd(), time: { created: 0, updated: 0 } }
    return JSON.stringify({ info, messages })
  },
  read: (text) => JSON.parse(text).messages,
  usage({ info: { tokens } }) {
    return tokens ? tokens.input + tokens.output + tokens.reasoning + tokens.cache.read + tokens.cache.write : 0
  },
  isSummary: ({ info }) => info.summary === true,
  lengthened({ info, parts }, text) {
    const last = parts.findLastIndex(({ type }: Message) => type === "text")
    const longer = (part: Message) => ({ ...part, text: `${part.text}\n\n${text}` })
    return { info, parts: parts.map((part: Message, index: number) => (index === last ? longer(part) : part)) }
  },
}

/** Run a command of Foldline on a transcript. Fails with the error text of Foldline. */
function foldline(transcript: string, options: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, ...words] = COMMAND
    words.push(...options)
    const child = spawn(program, words, { stdio: "pipe", signal: AbortSignal.timeout(TIME_LIMIT) })
    let output = ""
    let errors = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text))
    child.stdin.on("error", () => {}) // Foldline ended early; its exit code says why
    child.on("error", reject)
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(errors.trim() || `exit code ${code}`))))
    child.stdin.end(transcript)
  })
}

function compact(transcript: string, limit: number, options: string[]): Promise<string> {
  return foldline(transcript, ["compact", "-", "--set", `compression.context-limit=${limit}`, ...OPTIONS, ...options])
}

/** The compacted context of one session. */
class Context {
  private source = "[]" // the messages that were compacted, as JSON
  private count = 0 // how many they are
  private result: Message[] = []
  private triggers = new Map<number, number | null>() // tokens, by context limit

  constructor(private agent: Agent) {}

  /** Return the messages to send without a further compaction. */
  current(messages: Message[]): Message[] {
    if (JSON.stringify(messages.slice(0, this.count)) !== this.source) {
      ;[this.source, this.count] = ["[]", 0] // another branch, or the agent compacted by itself
    }
    return this.count ? [...this.result, ...messages.slice(this.count)] : messages
  }

  /** Return the messages to send, compacted if the trigger is reached. `limit` is in tokens. */
  async shorten(messages: Message[], limit: number | undefined): Promise<Message[]> {
    const current = this.current(messages)
    const size = this.size(messages)
    if (!limit || !size) return current
    const transcript = this.agent.write(current)
    if (!this.triggers.has(limit)) {
      this.triggers.set(limit, JSON.parse(await compact(transcript, limit, ["--json"])).trigger)
    }
    if (size < (this.triggers.get(limit) ?? 0)) return current // without a trigger it acts on every request
    this.result = this.agent.read(await compact(transcript, limit, ["-o", "-"]))
    ;[this.source, this.count] = [JSON.stringify(messages), messages.length]
    return this.result
  }

  /** Return the tokens of the next request: those of the last one, and later messages at 4 characters a token. */
  private size(messages: Message[]): number {
    let last = messages.length - 1
    while (last >= this.count && !this.agent.usage(messages[last])) last--
    if (last < this.count) return 0 // no request since the last compaction
    const later = JSON.stringify(messages.slice(last + 1), (key, value) => (key === "data" || key === "url" ? "" : value))
    return this.agent.usage(messages[last]) + later.length / 4
  }
}

const contexts = new Map<string, Context>()

/** Replace the messages of a request; an agent's own list stays where nothing is compacted. */
async function shorten(
  agent: Agent,
  session: string,
  messages: Message[],
  limit: () => Promise<number | undefined>,
  report: (text: string) => void,
): Promise<Message[]> {
  const context = contexts.get(session) ?? new Context(agent)
  contexts.set(session, context)
  try {
    return await context.shorten(messages, await limit())
  } catch (error) {
    report(`Foldline did not compact the context: ${error instanceof Error ? error.message : error}`)
    return context.current(messages)
  }
}

const supplements = new Map<string, string>() // what a summary lacks, by the summary

/** Add to the summary of the agent's own compaction what it lacks; `stored` is the whole session. */
async function supplement(
  agent: Agent,
  messages: Message[],
  stored: () => Promise<string>,
  report: (text: string) => void,
): Promise<Message[]> {
  const place = messages.findLastIndex(agent.isSummary)
  if (place < 0) return messages
  const summary = JSON.stringify(messages[place])
  if (!supplements.has(summary)) {
    supplements.set(summary, "") // what fails is not tried again
    try {
      supplements.set(summary, (await foldline(await stored(), ["supplement", "-"])).trim())
    } catch (error) {
      report(`Foldline added nothing to the summary: ${error instanceof Error ? error.message : error}`)
    }
  }
  const text = supplements.get(summary)
  return text ? messages.with(place, agent.lengthened(messages[place], `${LOST}\n${text}`)) : messages
}

function registerInPi(host: any) {
  host.on("context", async ({ messages }: { messages: Message[] }, context: any) => {
    const { sessionManager } = context
    const session = sessionManager.getSessionId()
    const report = (text: string) => (context.hasUI ? context.ui.notify(text, "warning") : console.error(text))
    const stored = async () => jsonLines([sessionManager.getHeader(), ...sessionManager.getBranch()])
    const whole = await supplement(pi, messages, stored, report)
    const sent = await shorten(pi, session, whole, async () => context.model?.contextWindow, report)
    return sent === messages ? undefined : { messages: sent }
  })
}

function opencodeHooks({ client }: any) {
  return {
    async "experimental.chat.messages.transform"(_: unknown, { messages }: { messages: Message[] }) {
      const answer = messages.findLast(({ info }) => info.role === "assistant")
      if (!answer) return
      const { sessionID, providerID, modelID } = answer.info
      const limit = async () => {
        const { data } = await client.config.providers()
        return data?.providers.find(({ id }: any) => id === providerID)?.models[modelID]?.limit.context
      }
      const report = (message: string) => client.app.log({ body: { service: "foldline", level: "error", message } })
      const stored = async () => opencode.write((await client.session.messages({ path: { id: sessionID } })).data)
      const whole = await supplement(opencode, messages, stored, report)
      const sent = await shorten(opencode, sessionID, whole, limit, report)
      if (sent !== messages) messages.splice(0, messages.length, ...sent)
    },
  }
}

export default async (host: any) => (typeof host.on === "function" ? registerInPi(host) : opencodeHooks(host))
