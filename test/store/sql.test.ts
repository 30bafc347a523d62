/** Parts of SQL that both databases execute. */
import { describe, expect, it } from 'vitest'
import * as sql from '../../src/store/sql.ts'

describe('the conditions of a query', () => {
  it('are joined, and those without a value are left out', () => {
    expect(
      sql.where([
        ['a = ?', 1],
        ['b = ?', undefined],
        ['c IS ?', null],
        ['d BETWEEN ? AND ?', [2, 3]],
      ]),
    ).toEqual({ text: ' WHERE a = ? AND c IS ? AND d BETWEEN ? AND ?', params: [1, null, 2, 3] })
  })

  it('are no text where there are none', () => {
    expect(sql.where([['b = ?', undefined]])).toEqual({ text: '', params: [] })
    expect(sql.where([])).toEqual({ text: '', params: [] })
  })

  it('may be one of several values, or of none', () => {
    expect(sql.where([sql.anyOf('state', ['up', 'down', 'late'])])).toEqual({
      text: ' WHERE state IN (?, ?, ?)',
      params: ['up', 'down', 'late'],
    })
    expect(sql.where([sql.anyOf('state', [])])).toEqual({ text: ' WHERE 1 = 0', params: [] })
    expect(sql.where([sql.anyOf('state', undefined)])).toEqual({ text: '', params: [] })
  })

  it('of the audit log are each of its filters', () => {
    const query = {
      account_id: 4,
      resource: 'monitor',
      resource_id: 5,
      action: 'updated',
      actor: 'key 6',
      from: 7,
      to: 8,
      before_id: 9,
      limit: 10,
    } as const
    expect(sql.where(sql.auditConditions(query, 4))).toEqual({
      text:
        ' WHERE account_id = ? AND resource = ? AND resource_id = ? AND action = ? AND actor = ?' +
        ' AND at >= ? AND at < ? AND id < ?',
      params: [4, 'monitor', 5, 'updated', 'key 6', 7, 8, 9],
    })
  })
})

describe('a page of the rows of an account', () => {
  const page = (query: Partial<Parameters<typeof sql.followingRows>[0]>) =>
    sql.where(sql.followingRows({ account_id: 4, limit: 9, ...query }))

  it('begins at either end, and goes on behind an id', () => {
    expect(page({})).toEqual({ text: ' WHERE account_id = ? AND id > ?', params: [4, 0] })
    expect(page({ after_id: 7 }).params).toEqual([4, 7])
    expect(page({ order: 'desc' })).toEqual({
      text: ' WHERE account_id = ? AND id < ?',
      params: [4, Number.MAX_SAFE_INTEGER],
    })
    expect(page({ order: 'desc', after_id: 7 }).params).toEqual([4, 7])
  })

  it('is of all accounts where they are asked for, and of no other text', () => {
    expect(page({ account_id: 'all' })).toEqual({ text: ' WHERE id > ?', params: [0] })
    expect(() => page({ account_id: undefined as never })).toThrow('account')
  })
})

describe('lists of ids', () => {
  it('are rising, without repetitions, and padded to a power of two', () => {
    expect(sql.idChunks([])).toEqual([])
    expect(sql.idChunks([10, 9, 10, 2])).toEqual([[2, 9, 10, 10]])
    expect(sql.idChunks([5])).toEqual([[5]])
    expect(sql.idChunks([1, 2, 3, 4])).toEqual([[1, 2, 3, 4]])
    expect(sql.idChunks([5, 4, 3, 2, 1])).toEqual([[1, 2, 3, 4, 5, 5, 5, 5]])
  })

  it('hold at most 512', () => {
    const ids = Array.from({ length: 1025 }, (_, index) => index + 1)
    const chunks = sql.idChunks(ids)
    expect(chunks.map(({ length }) => length)).toEqual([512, 512, 1])
    expect(chunks.flat()).toEqual(ids)
    expect(sql.idChunks(ids.slice(0, 512)).map(({ length }) => length)).toEqual([512])
  })
})

describe('what is written', () => {
  it('is a row of the named columns', () => {
    expect(sql.insertInto('pets', ['name', 'age'])).toBe(
      'INSERT INTO pets (name, age) VALUES (?, ?)',
    )
  })

  it('are the columns for which a change has a value, and no others', () => {
    const change = { age: null, name: 'Rex', owner: undefined, 'x = 1; --': 5 }
    expect(sql.assignments(['name', 'age', 'owner', 'kind'], change)).toEqual({
      text: 'name = ?, age = ?',
      params: ['Rex', null],
    })
    expect(sql.assignments(['kind'], change)).toEqual({ text: '', params: [] })
  })

  it('never changes whose a row is, or when it was made', () => {
    expect(sql.CHANGEABLE_CONTACT_COLUMNS).toEqual(
      'name all_monitors quiet group_window_sec events settings version updated_at'.split(' '),
    )
    expect(sql.CHANGEABLE_ACCOUNT_COLUMNS).toEqual(
      'name external_id quotas monitor_defaults'.split(' '),
    )
  })

  it('are the settings of a monitor, and what searches and filters look at', () => {
    const common = {
      name: 'Shop Ä',
      tags: ['Prod', 'EU'],
      metadata: { team: 'A', size: 2, live: true, list: [1], none: null },
      location_ids: [1, 2],
      interval_sec: 30,
    }
    const monitor = { common, settings: { port: 1 }, target: 'HTTPS://Shop' }
    expect(sql.settingsColumns(monitor as never, (texts) => texts.join('|'))).toEqual({
      common: JSON.stringify(common),
      settings: '{"port":1}',
      target: 'HTTPS://Shop',
      search: 'shop ä\nhttps://shop',
      tags: 'prod|eu',
      metadata: '["team","A"]|["size","2"]|["live","true"]',
      checks_per_min: 4,
    })
  })
})
