/**
 * Descriptions of the settings of every contact kind, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface ContactDescriptions {
  readonly webhook: {
    /** Address to call; https recommended (1 to 2048 characters) */
    readonly url: unknown
    /** Signs the body; without it requests are not signed (1 to 4096 characters) */
    readonly secret: unknown
    /** Adds the headers of Standard Webhooks: whsec_ and base64; two with a space while one replaces the other (1 to 4096 characters) */
    readonly standard_secret: unknown
    /** Headers sent with every request, at most 20 */
    readonly headers: unknown
    /** GET carries the same body; some proxies drop it (default `"POST"`) */
    readonly method: unknown
  }
  readonly discord: {
    /** Address of the webhook; anyone who has it can post (1 to 4096 characters) */
    readonly url: unknown
    /** Own words for messages, with placeholders; absent parts stay as they are */
    readonly template: {
      /** Title of every message (1 to 256 characters) */
      readonly title?: unknown
      /** Text below the title (1 to 4096 characters) */
      readonly body?: unknown
      /** Other words for single events: names to title and body */
      readonly events?: unknown
    }
  }
  readonly email: {
    /** Mail server that takes messages for delivery (1 to 253 characters) */
    readonly host: unknown
    /** TCP port; where absent 587, 465 with implicit TLS, 25 without TLS (1 to 65535) */
    readonly port: unknown
    /** TLS by command, from the first byte, or none; where absent implicit on port 465, else by command */
    readonly tls: unknown
    /** Logs in as this user (1 to 512 characters) */
    readonly user: unknown
    /** Password of the user (1 to 4096 characters) */
    readonly pass: unknown
    /** Sender; what bounces comes here (3 to 254 characters) */
    readonly from: unknown
    /** Recipients, at most 20 (1 to 20 items) */
    readonly to: unknown
    /** Own words for messages, with placeholders; absent parts stay as they are */
    readonly template: {
      /** Subject of every message (1 to 200 characters) */
      readonly title?: unknown
      /** Text of every message (1 to 16384 characters) */
      readonly body?: unknown
      /** HTML of every message; where absent it is made of the text (1 to 16384 characters) */
      readonly html?: unknown
      /** Other words for single events: names to title and body */
      readonly events?: unknown
    }
  }
  readonly ntfy: {
    /** Address of the server (1 to 2048 characters; default `"https://ntfy.sh/"`) */
    readonly server: unknown
    /** Topic to publish to (1 to 4096 characters) */
    readonly topic: unknown
    /** Access token, where the topic is protected (1 to 4096 characters) */
    readonly token: unknown
    /** Priority of failures; all else comes with 3 (1 to 5; default `4`) */
    readonly priority: unknown
    /** Own words for messages, with placeholders; absent parts stay as they are */
    readonly template: {
      /** Title of every message (1 to 250 characters) */
      readonly title?: unknown
      /** Text below the title (1 to 4096 characters) */
      readonly body?: unknown
      /** Other words for single events: names to title and body */
      readonly events?: unknown
    }
  }
  readonly pagerduty: {
    /** Integration key of a service with the Events API v2 (1 to 4096 characters) */
    readonly routing_key: unknown
    /** Service region of the PagerDuty account (default `"us"`) */
    readonly region: unknown
  }
  readonly request: {
    /** Address to call; a secret, since many contain a key (1 to 2048 characters) */
    readonly url: unknown
    /** Method; GET has no body (default `"POST"`) */
    readonly method: unknown
    /** Headers sent with every request, at most 20 */
    readonly headers: unknown
    /** Stands for {{secret}} in the body: a token, a key (1 to 4096 characters) */
    readonly secret: unknown
    /** Body: a JSON object; its texts are templates */
    readonly json: unknown
    /** Body: the fields of a form; their values are templates */
    readonly form: unknown
    /** Body: a text, as a template (1 to 16384 characters) */
    readonly text: unknown
    /** Markup of the service, escaped in what is inserted; mentions only breaks @ and < (default `"none"`) */
    readonly escape: unknown
    /** Statuses that mean delivered (default `"200-299"`) */
    readonly delivered_status: unknown
    /** Address for `up` alone, at the same host (1 to 2048 characters) */
    readonly recovery_url: unknown
    /** Body for `up` alone: a JSON object */
    readonly recovery_json: unknown
  }
  readonly slack: {
    /** Address of the incoming webhook; anyone who has it can post (1 to 4096 characters) */
    readonly url: unknown
    /** Own words for messages, with placeholders; absent parts stay as they are */
    readonly template: {
      /** Title of every message (1 to 150 characters) */
      readonly title?: unknown
      /** Text below the title (1 to 3000 characters) */
      readonly body?: unknown
      /** Other words for single events: names to title and body */
      readonly events?: unknown
    }
  }
  readonly teams: {
    /** Address of the workflow "when a webhook request is received"; a secret (1 to 4096 characters) */
    readonly url: unknown
    /** Own words for messages, with placeholders; absent parts stay as they are */
    readonly template: {
      /** Title of every message (1 to 256 characters) */
      readonly title?: unknown
      /** Text below the title (1 to 3500 characters) */
      readonly body?: unknown
      /** Other words for single events: names to title and body */
      readonly events?: unknown
    }
  }
  readonly telegram: {
    /** Token of the bot, from `@BotFather` (1 to 4096 characters) */
    readonly token: unknown
    /** Chat to write to: its id, or `@name` of a public channel (1 to 65 characters) */
    readonly chat_id: unknown
    /** Topic of a group that has topics (1 to 2147483647) */
    readonly thread_id: unknown
    /** Own words for messages, with placeholders; absent parts stay as they are */
    readonly template: {
      /** Title of every message (1 to 500 characters) */
      readonly title?: unknown
      /** Text below the title (1 to 3588 characters) */
      readonly body?: unknown
      /** Other words for single events: names to title and body */
      readonly events?: unknown
    }
  }
}
