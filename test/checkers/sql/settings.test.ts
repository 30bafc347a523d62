import * as driverOfMysql from 'mysql2'
import driverOfPostgres from 'pg'
import { describe, expect, it } from 'vitest'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { parseSettings } from '../../../src/engine/checks/run-check.ts'
import { ValidationError } from '../../../src/errors.ts'
import { checkerSuite } from '../../../src/testing/checker-suite.ts'
import { check } from '../../support/check.ts'
import { closedPort, scriptedServer } from '../../support/scripted-server.ts'

const CHECKERS = { mysql: mysql(), postgres: postgres() } as const
const ok = { host: 'db.example.test', user: 'u' } as const

describe.each(Object.entries(CHECKERS))('%s', (type, checker) => {
  const port = type === 'mysql' ? 3306 : 5432

  it('fills in its defaults', () => {
    expect(parseSettings(checker, ok)).toEqual({ ...ok, port, tls: 'prefer', pass: '' })
  })

  it.each([
    [true, 'require'],
    [false, 'off'],
    ['none', 'off'],
    ['disable', 'off'],
    ['PREFERRED', 'prefer'],
    ['required', 'require'],
    ['verify-full', 'verify'],
    ['VERIFY_IDENTITY', 'verify'],
  ])('reads tls %j as %s', (written, tls) => {
    expect(parseSettings(checker, { ...ok, tls: written })).toMatchObject({ tls })
  })

  it.each([
    [{ user: 'u' }, 'host', 'required'],
    [{ host: 'db.example.test' }, 'user', 'required'],
    [{ ...ok, port: 0 }, 'port', 'out_of_range'],
    [{ ...ok, tls: 'verify-ca' }, 'tls', 'invalid'],
    [{ ...ok, user: 'u\0database\0other' }, 'user', 'invalid'],
    [{ ...ok, database: 'a\nb' }, 'database', 'invalid'],
    [{ ...ok, query: '' }, 'query', 'out_of_range'],
    [{ ...ok, query: 'SELECT \0' }, 'query', 'invalid'],
    [{ ...ok, query: 'x'.repeat(10_001) }, 'query', 'out_of_range'],
    [{ ...ok, query: 'SELECT 1', expect_rows_min: -1 }, 'expect_rows_min', 'out_of_range'],
    [{ ...ok, query: 'SELECT 1', expect_rows_min: 1001 }, 'expect_rows_min', 'out_of_range'],
    [{ ...ok, expect_rows_min: 1 }, 'expect_rows_min', 'invalid'],
    [{ ...ok, expect_rows_min: 0 }, 'expect_rows_min', 'invalid'],
    [{ ...ok, ip_family: 'ipv4' }, 'ip_family', 'unknown_field'],
  ])('refuses %j at %s', (input, name, problem) => {
    let refused: unknown
    try {
      parseSettings(checker, input)
    } catch (error) {
      refused = error
    }
    expect(refused).toBeInstanceOf(ValidationError)
    expect((refused as ValidationError).fields).toEqual({
      [name]: expect.stringContaining(problem),
    })
  })

  it('shows where it goes and no secret', () => {
    const stored = { ...ok, port, tls: 'prefer', pass: 'sesame-open' } as const
    expect(checker.target(stored)).toBe(`db.example.test:${port}`)
    expect(checker.target({ ...stored, host: '2001:db8::1', database: 'app' })).toBe(
      `[2001:db8::1]:${port}/app`,
    )
  })

  it('is asked every five minutes by default', () => {
    expect(checker.common?.interval_sec).toEqual({ default: 300 })
  })
})

describe.each(Object.entries(CHECKERS))('%s holds to what every checker must', (_, checker) => {
  const settings = { ...ok, pass: 'sesame-open', query: 'SELECT 1', expect_rows_min: 1 }
  for (const { name, run } of checkerSuite(checker, { settings })) it(name, run)
})

describe('the driver', () => {
  it('is said to be needed where none is brought', () => {
    expect(mysql().driver).toBe('mysql2')
    expect(postgres().driver).toBe('pg')
    expect(mysql({ driver: driverOfMysql }).driver).toBeUndefined()
    expect(postgres({ driver: driverOfPostgres }).driver).toBeUndefined()
  })

  it('may be brought, or the function that gets it', async () => {
    const port = await closedPort()
    const input = { host: '127.0.0.1', port, user: 'u' }
    let got = 0
    const get = async <T>(driver: T): Promise<T> => {
      got += 1
      return Promise.resolve(driver)
    }
    for (const checker of [
      mysql({ driver: driverOfMysql }),
      mysql({ driver: () => get(driverOfMysql) }),
      postgres({ driver: driverOfPostgres }),
      postgres({ driver: () => get(driverOfPostgres) }),
    ]) {
      expect(await check(checker, input)).toMatchObject({ cause_code: 'connect_refused' })
    }
    expect(got).toBe(2)
  })

  it('gets a connection of ours alone: an address that the policy refuses is never dialled', async () => {
    const server = await scriptedServer(() => undefined)
    const input = { host: 'inside.test', port: server.port, user: 'u' }
    const options = {
      hosts: { 'inside.test': ['127.0.0.1'] },
      policy: ({ address }: { address: string }) => (address === '127.0.0.1' ? 'no' : undefined),
    }
    for (const checker of Object.values(CHECKERS)) {
      expect(await check(checker, input, options)).toMatchObject({ cause_code: 'connect_blocked' })
    }
    expect(server.connections).toBe(0)
  })
})
