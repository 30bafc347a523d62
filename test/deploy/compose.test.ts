import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { environmentVariables } from '../../scripts/docs/source-facts.ts'
import { root } from '../../scripts/steps.mjs'
import { commandLine } from '../support/command-line.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'

interface Service {
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const text = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
const compose = parse(text) as Compose
const { watchpost, probe, postgres, redis } = compose.services as Record<string, Service>
const ours = { watchpost, probe }

/** `${NAME:?message}` and `${NAME:-default}`, as compose fills them in. @throws with the message */
function filledIn(value: string, env: Readonly<Record<string, string>>): string {
  return value.replace(
    /\$\{(\w+):([?-])([^}]*)\}/g,
    (_, name: string, mark: string, rest: string) => {
      const given = env[name] ?? ''
      if (given === '' && mark === '?') throw new Error(`${name} ${rest}`)
      return given === '' ? rest : given
    },
  )
}

const example = readFileSync(join(root, 'deploy/example.env'), 'utf8')
const asked = [...example.matchAll(/^(\w+)=$/gm)].map(([, name = '']) => name)
const used = [...new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))]

describe('compose.yaml', () => {
  it('asks in example.env for every value that it uses, and no other', () => {
    expect(used.toSorted()).toEqual(asked.toSorted())
    // Without a password or key nothing starts.
    const required = used.filter((name) => /PASSWORD|_KEY$/.test(name))
    for (const name of required) expect(text).toContain(`\${${name}:?`)
    expect(() => filledIn('${A_KEY:?is missing in .env}', {})).toThrow('A_KEY is missing in .env')
  })

  it('sets variables that the command of each service knows', () => {
    const known = environmentVariables()
    for (const { environment = {} } of Object.values(ours) as Service[])
      expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
    expect(probe?.command).toEqual([
      'probe',
      '--location',
      watchpost?.environment?.['WATCHPOST_LOCATIONS'],
    ])
  })

  it('waits for services that are healthy, each with a check of its own or that of the image', () => {
    for (const service of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition).toBe('service_healthy')
        expect(compose.services[name]?.healthcheck?.disable).not.toBe(true)
      }
    }
    expect(postgres?.healthcheck?.test?.slice(0, 2)).toEqual(['CMD', 'pg_isready'])
    expect(redis?.healthcheck?.test).toEqual(['CMD', 'redis-cli', 'ping'])
    expect(probe?.healthcheck).toEqual({ disable: true })
  })

  it('publishes one port, on this machine only, and keeps data in volumes that it declares', () => {
    const ports = Object.values(compose.services).flatMap((service) => service.ports ?? [])
    expect(ports).toEqual(['127.0.0.1:8080:8080'])
    const volumes = Object.values(compose.services).flatMap((service) => service.volumes ?? [])
    expect(volumes.map((volume) => volume.split(':')[0])).toEqual(Object.keys(compose.volumes))
  })

  it('names versions, takes rights away, and gives running checks their time to end', () => {
    for (const { image = '' } of [postgres, redis] as Service[])
      expect(image).toMatch(/:\d+-alpine$/)
    for (const service of Object.values(ours)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(parseInt(service?.stop_grace_period ?? '', 10)).toBeGreaterThan(11)
    }
  })
})

const cli = commandLine()

describeWithServer([postgresServer, redisServer], 'the services of compose.yaml', () => {
  it('check a monitor through the probe, with PostgreSQL and Redis as they are set there', async () => {
    const values = {
      POSTGRES_PASSWORD: 'secret',
      REDIS_PASSWORD: 'another-secret',
      WATCHPOST_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      WATCHPOST_API_KEY: 'a-key-of-the-services',
      WATCHPOST_METRICS_TOKEN: 'a-token-of-the-services',
    }
    const password = redis?.command?.map((word) => filledIn(word, values)) ?? []
    expect(password).toEqual(expect.arrayContaining(['--requirepass', 'another-secret']))
    expect(password).toEqual(expect.arrayContaining(['--maxmemory-policy', 'noeviction']))
    const database = await forThisTest(
      startPostgres({
        sql: [
          "CREATE ROLE watchpost LOGIN SUPERUSER PASSWORD 'secret'",
          'CREATE DATABASE watchpost',
        ],
      }),
    )
    const queue = await forThisTest(startRedis({ password: values.REDIS_PASSWORD }))
    const envOf = (service: Service | undefined): Record<string, string> =>
      Object.fromEntries(
        Object.entries(service?.environment ?? {}).map(([name, value]) => [
          name,
          filledIn(value, values)
            .replace('@postgres:5432', `@127.0.0.1:${database.ports.postgres}`)
            .replace('@redis:6379', `@127.0.0.1:${queue.ports.redis}`),
        ]),
      )
    const server = await cli.serve({ env: envOf(watchpost) })
    const worker = cli.start(probe?.command ?? [], { env: envOf(probe) })
    await worker.says(/Probe .* of local: at work/)
    const key = values.WATCHPOST_API_KEY
    const { port } = new URL(server.url)
    const body = { type: 'tcp', host: '127.0.0.1', port: Number(port) }
    expect((await server.call('/api/v1/monitors', { key, body })).status).toBe(201)
    // The server hears of the probe a moment after the probe itself is at work.
    const located = async (): Promise<unknown> =>
      (await server.call('/api/v1/locations', { key })).body
    await expect.poll(located).toMatchObject({ locations: [{ online: true }] })
    const path = '/api/v1/monitors/1/check?wait=1'
    const checked = await server.call(path, { key, method: 'POST' })
    expect(checked.body).toMatchObject({ results: [{ verdict: 'ok' }] })
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { Authorization: `Bearer ${values.WATCHPOST_METRICS_TOKEN}` },
    })
    expect(await metrics.text()).toContain('location="local"')
    expect((await server.stop()).code).toBe(0)
  })
})
