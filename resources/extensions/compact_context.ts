// Foldline compacts the messages that the agent sends to its model once they reach the trigger of the strategy
// that is set in Foldline. The stored session stays whole. If anything fails, the messages are sent as they are.
// Written by "foldline hook install"; "foldline hook remove" deletes it.
import { spawn } from "node:child_process"

const COMMAND: string[] = [] // set by "foldline hook install"
const TIME_LIMIT = 120_000 // milliseconds; a model may write the summary

type Message = Record<string, any>
type Report = (text: string) => void

/** How an agent's messages become a transcript for Foldline, and where it states the tokens of a request. */
interface Agent {
  write(messages: Message[]): string
  read(text: string): Message[]
  usage(message: Message): number
}

const pi: Agent = {
  write(messages) {
    const stamp = new Date(0).toISOString()
    const lines: Message[] = [{ type: "session", version: 3, id: "context", timestamp: stamp, cwd: process.cwd() }]
    messages.forEach((message, index) => {
      const parentId = index ? `m${index - 1}` : null
      lines.push({ type: "message", id: `m${index}`, parentId, timestamp: stamp, message })
    })
    return lines.map((line) => JSON.stringify(line)).join("\n") + "\n"
  },
  read(text) {
    const entries = text.split("\n").filter(Boolean).map((line) => JSON.parse(line))
    return entries.filter((entry) => entry.type === "message").map((entry) => entry.message)
  },
  usage({ usage }) {
    return usage ? usage.input + usage.output + usage.cacheRead + usage.cacheWrite : 0
  },
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
}

/** Run "foldline compact" on a transcript. Fails with the error text of Foldline. */
function foldline(transcript: string, limit: number, options: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, ...words] = COMMAND
    words.push("compact", "-", "--set", `context-limit=${limit}`, ...options)
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

/** The compacted context of one session. */
class Context {
  private source = "[]" // the messages that were compacted, as JSON
  private count = 0 // how many they are
  private result: Message[] = []
  private triggers = new Map<number, number | null>() // tokens, by context limit

  constructor(private agent: Agent) {}

  /** Return the messages to send: `messages`, or a compacted form of them. `limit` is in tokens. */
  async shorten(messages: Message[], limit: number | undefined): Promise<Message[]> {
    if (JSON.stringify(messages.slice(0, this.count)) !== this.source) {
      ;[this.source, this.count, this.result] = ["[]", 0, []] // another branch, or the agent compacted by itself
    }
    const current = [...this.result, ...messages.slice(this.count)]
    const size = this.size(messages)
    if (!limit || !size) return current
    const transcript = this.agent.write(current)
    if (!this.triggers.has(limit)) {
      this.triggers.set(limit, JSON.parse(await foldline(transcript, limit, ["--json"])).trigger)
    }
    if (size < (this.triggers.get(limit) ?? 0)) return current // without a trigger it acts on every request
    this.result = this.agent.read(await foldline(transcript, limit, ["-o", "-"]))
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

async function shorten(agent: Agent, session: string, messages: Message[], limit: number | undefined, report: Report) {
  if (!contexts.has(session)) contexts.set(session, new Context(agent))
  try {
    return await contexts.get(session)!.shorten(messages, limit)
  } catch (error) {
    report(`Foldline did not compact the context: ${error instanceof Error ? error.message : error}`)
    return messages
  }
}

function registerInPi(host: any) {
  host.on("context", async ({ messages }: { messages: Message[] }, context: any) => {
    const report: Report = (text) => (context.hasUI ? context.ui.notify(text, "warning") : console.error(text))
    const session = context.sessionManager.getSessionId()
    return { messages: await shorten(pi, session, messages, context.model?.contextWindow, report) }
  })
}

function opencodeHooks({ client }: any) {
  return {
    async "experimental.chat.messages.transform"(_: unknown, output: { messages: Message[] }) {
      const { messages } = output
      const answer = messages.findLast(({ info }) => info.role === "assistant")
      if (!answer) return
      const report: Report = (message) => client.app.log({ body: { service: "foldline", level: "error", message } })
      const { sessionID, providerID, modelID } = answer.info
      const providers = (await client.config.providers()).data?.providers ?? []
      const limit = providers.find(({ id }: any) => id === providerID)?.models[modelID]?.limit.context
      const shorter = await shorten(opencode, sessionID, [...messages], limit, report)
      messages.splice(0, messages.length, ...shorter)
    },
  }
}

export default async (host: any) => (typeof host.on === "function" ? registerInPi(host) : opencodeHooks(host))
