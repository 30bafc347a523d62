import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { checkerTypes, entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/steps.mjs'

// A name that is published stays. Whoever changes this list changes what others have written.

const names = publicNames()

it.each(checkerTypes)('watchpost/checkers/%s has the checker under its own name', (type) => {
  expect(names.get(`./checkers/${type}`)?.values).toContain(type)
})

it('every subpath keeps its names', () => {
  const list = [...names].flatMap(([subpath, { values, types }]) => [
    subpath,
    ...values.map((name) => `  ${name}`),
    ...types.map((name) => `  type ${name}`),
  ])
  expect(list.join('\n')).toMatchInlineSnapshot(`
    ".
      CheckFailure
      ClosedError
      ConfigurationError
      ConflictError
      ListenerError
      MissingDependencyError
      NotFoundError
      StorageError
      ValidationError
      WatchpostError
      createEngine
      defineChecker
      down
      field
      isWatchpostError
      runCheck
      silentLogger
      systemClock
      unknown
      up
      type AccountInput
      type AccountQuotas
      type AccountScope
      type AccountUse
      type AccountUseView
      type AccountView
      type Accounts
      type AnyChecker
      type AnyContactKind
      type AttemptView
      type CauseInfo
      type CauseTable
      type CheckAnswer
      type CheckContext
      type CheckOrder
      type Checker
      type CheckerInput
      type Clock
      type CommonInput
      type CommonRules
      type Connection
      type ContactInput
      type ContactPatch
      type ContactView
      type DetailsOf
      type Engine
      type EngineEvents
      type EngineOptions
      type Field
      type FieldTable
      type Findings
      type FullStore
      type Highlight
      type HighlightView
      type HttpExchange
      type HttpRequest
      type IncidentFilter
      type IncidentView
      type Input
      type Json
      type JsonObject
      type Judgement
      type KeyView
      type LocationReading
      type LocationStatus
      type LocationView
      type Logger
      type MeasurementFormat
      type MonitorFilter
      type MonitorInput
      type MonitorPatch
      type MonitorPreview
      type MonitorReading
      type MonitorState
      type MonitorStatus
      type MonitorSummary
      type MonitorView
      type Net
      type Notice
      type NotificationFilter
      type NotificationView
      type Outcome
      type Page
      type PageOptions
      type Phase
      type Phases
      type ProbeHost
      type ProbeTransport
      type PushRules
      type ResultFilter
      type ResultView
      type RunCheckOptions
      type SettingChange
      type SettingWarning
      type Settings
      type Signal
      type SignalInput
      type StatusView
      type Store
      type Stored
      type TargetPolicy
      type TargetRule
      type TimeInput
      type TimedOutcome
      type Timer
      type Tracing
      type TypeView
      type UptimeDay
      type UptimeView
      type Verdict
      type VersionOptions
    ./checkers
      blacklist
      builtinCheckers
      content
      dns
      domain
      ftp
      heartbeat
      http
      imap
      mysql
      ping
      pop3
      postgres
      resources
      smtp
      ssl
      tcp
      type BuiltinOptions
    ./checkers/http
      http
    ./checkers/content
      content
    ./checkers/ping
      ping
    ./checkers/tcp
      tcp
    ./checkers/dns
      dns
    ./checkers/ssl
      ssl
    ./checkers/domain
      domain
      type DomainOptions
      type WhoisServer
    ./checkers/smtp
      smtp
    ./checkers/pop3
      pop3
    ./checkers/imap
      imap
    ./checkers/ftp
      ftp
    ./checkers/mysql
      mysql
      type MysqlCheckerOptions
      type MysqlConnection
      type MysqlDriver
      type MysqlOptions
      type MysqlQuery
    ./checkers/postgres
      postgres
      type OneQuery
      type PostgresCheckerOptions
      type PostgresClient
      type PostgresCommands
      type PostgresDriver
      type PostgresOptions
    ./checkers/resources
      resources
    ./checkers/heartbeat
      heartbeat
    ./checkers/blacklist
      CATALOGUE
      blacklist
      registryFeed
      safeBrowsing
      type BlacklistOptions
      type BlacklistProvider
      type Blocklist
      type ProviderContext
      type ProviderFinding
      type RegistryFeedOptions
      type SafeBrowsingOptions
      type Subject
    ./store/memory
      memoryPlace
      memoryStore
      type MemoryPlace
      type MemoryStoreOptions
    ./store/sqlite
      sqliteStore
      type SqliteDriverName
      type SqliteStoreOptions
    ./store/postgres
      postgresStore
      type PostgresConnection
      type PostgresPool
      type PostgresStoreOptions
    ./store/tables
      TABLES
      tableStore
      type TableName
      type TableQuery
      type TableRow
      type TableStoreOptions
      type TableTransaction
      type Tables
    ./probes/bullmq
      bullmqProbes
      createProbe
      type BullmqProbesOptions
      type Probe
      type ProbeOptions
      type ProbeStatus
      type QueueOptions
      type RedisAddress
      type RedisParts
    ./webhook
      MAX_ATTEMPTS
      WebhookVerificationError
      assertWebhook
      createReplayGuard
      httpTransport
      pauseAfter
      signWebhook
      verifyWebhook
      webhookContact
      type PauseOptions
      type RetryRules
      type SendContext
      type TransportOptions
      type VerifiedWebhook
      type VerifyOptions
      type VerifyReason
      type VerifyResult
      type WebhookAnswer
      type WebhookOptions
      type WebhookPayload
      type WebhookRequest
      type WebhookTransport
    ./contacts
      builtinContacts
      classify
      defineContactKind
      deliveryOf
      discordContact
      emailContact
      messageOf
      ntfyContact
      pagerdutyContact
      parseRetryAfter
      slackContact
      teamsContact
      telegramContact
      type AnyContactKind
      type AttemptResult
      type BuiltinContactsOptions
      type CheckOptions
      type ContactKind
      type ContactOptions
      type Delivery
      type DeliveryClass
      type DeliveryContext
      type EmailOptions
      type Fact
      type Message
      type PagerdutyOptions
      type PostingOptions
      type Severity
      type TelegramOptions
    ./monitors
      defineMonitors
      describePlan
      isEmptyPlan
      syncMonitors
      type BuiltinChecker
      type CreatedMonitor
      type Difference
      type EntryWarning
      type KnownMonitor
      type MonitorEntry
      type SyncOptions
      type SyncPlan
      type UpdatedMonitor
    ./verify
      WebhookVerificationError
      assertWebhook
      createReplayGuard
      signWebhook
      verifyWebhook
      type MemoryReplayGuard
      type ReplayGuard
      type ReplayGuardOptions
      type VerifiedWebhook
      type VerifyOptions
      type VerifyReason
      type VerifyResult
      type WebhookPayload
    ./guard
      createGuard
      targetPolicy
      type AddressVerdict
      type CheckUrlOptions
      type Guard
      type GuardOptions
      type GuardReason
      type Refused
      type ResolveHost
      type TargetRule
      type UrlVerdict
    ./rest
      createRest
      type Authenticate
      type Balance
      type Identity
      type RatePolicy
      type RateWindow
      type RequestKey
      type Rest
      type RestOptions
      type Taken
    ./rest/node
      clientAddress
      limitServer
      toNodeHandler
      type LimitEvent
      type LimitName
      type LimitServerOptions
      type NodeHandler
      type NodeHandlerOptions
      type TrustProxy
    ./page
      createPage
      type Access
      type Authorize
      type PageRate
      type PublicStatus
      type StatusPage
      type StatusPageOptions
    ./client
      ApiError
      createClient
      type BuiltinChecker
      type CallOptions
      type Client
      type ClientOptions
      type CreateOptions
      type List
      type ListPage
      type Me
      type MonitorPatch
      type Paging
      type SignalAnswer
    ./otel
      openTelemetry
    ./metrics
      createMetrics
      type Metrics
      type MetricsOptions
      type MetricsRate
      type MetricsScope
    ./resources-agent
      resourcesAgent
      type DiskUse
      type ResourcesAgent
      type ResourcesAgentOptions
      type ResourcesReport
    ./testing
      checkerSuite
      recordingTransport
      simulatedClock
      storeSuite
      type CheckerSuiteOptions
      type SimulatedClock
      type SuiteCase"
  `)
})

/** What each entry exports, values and types apart. */
function publicNames() {
  const files = entries.map(({ source }) => join(root, source))
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  return new Map(
    entries.map(({ subpath, source }) => {
      const file = program.getSourceFile(join(root, source))
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
      const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
      const isValue = (symbol: ts.Symbol) => (original(symbol).flags & ts.SymbolFlags.Value) !== 0
      const sorted = (list: readonly ts.Symbol[]) => list.map(({ name }) => name).sort()
      return [
        subpath,
        {
          values: sorted(symbols.filter(isValue)),
          types: sorted(symbols.filter((symbol) => !isValue(symbol))),
        },
      ]
    }),
  )

  function original(symbol: ts.Symbol): ts.Symbol {
    const alias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    return alias ? checker.getAliasedSymbol(symbol) : symbol
  }
}
