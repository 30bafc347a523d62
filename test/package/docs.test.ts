import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { webhookEventNames, transitions } from '../../scripts/docs/filled-pages.ts'
import { documentedCheckers, generatePages, stalePages } from '../../scripts/docs/pages.ts'
import {
  commandFiles,
  environmentVariables,
  errorCodes,
  sourcePaths,
} from '../../scripts/docs/source-facts.ts'
import { checkerTypes, entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/steps.mjs'
import { KEY_SCOPES } from '../../src/model/scopes.ts'
import { createRouter } from '../../src/rest/router.ts'
import { contactRoutes, routes } from '../../src/rest/routes.ts'
import {
  anchors,
  brokenLinks,
  headings,
  inlineCode,
  parsePage,
  readPages,
  section,
} from './markdown.ts'
import type { Page } from './markdown.ts'
import { problemsIn } from './snippets.ts'

const pages = readPages()
const checkers = documentedCheckers()

describe('what the code says about itself', () => {
  it('stands in docs as `npm run docs` writes it', async () => {
    const generated = await generatePages()
    const differing = [...generated].filter(([path, text]) => read(path) !== text)
    expect(differing.map(([path]) => path)).toEqual([])
    expect(stalePages(generated)).toEqual([])
  })

  it('has a page for every type, and no page for a type that is not there', () => {
    const types = pages
      .map(({ path }) => /^docs\/checkers\/(.+)\.md$/.exec(path)?.[1])
      .filter((type) => type !== undefined && type !== 'README')
    expect(types.sort()).toEqual([...checkerTypes].sort())
  })

  it('has every event of webhooks, each with its trigger and with a body', () => {
    const events = webhookEventNames(checkers)
    const told = headings(section(page('docs/reference/events.md'), 'Of webhooks'), 3)
    expect(told.sort()).toEqual([...events].sort())
    const bodies = headings(section(page('docs/reference/webhook.md'), 'Bodies'), 3)
    expect(bodies.map((heading) => heading.replace('Body of ', '')).sort()).toEqual(events.sort())
  })

  it('has every error code, and none that nothing throws', () => {
    const errors = page('docs/reference/errors.md')
    const tables = ['Thrown by the engine', 'Answered by REST'].map((name) => section(errors, name))
    const rows = tables.flatMap((text) => [...text.matchAll(/^\| [^|]+\| ([^|]+)\|/gm)])
    const told = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code),
    )
    expect([...new Set(told)].filter((code) => code !== 'code' && code !== 'error').sort()).toEqual(
      errorCodes(),
    )
  })

  it('draws the states as the machine changes them', () => {
    const diagram = page('docs/reference/states.md').blocks.find(
      ({ language }) => language === 'mermaid',
    )
    const drawn = [...(diagram?.text ?? '').matchAll(/^ +(\w+) --> (\w+)$/gm)].map(
      ([, from = '', to = '']) => `${from} → ${to}`,
    )
    // Those that are told in a sentence below the picture.
    const spoken = ['paused', 'pending', 'maintenance']
    const real = transitions()
      .filter(({ from, to }) => !spoken.includes(to) && from !== 'paused' && from !== 'maintenance')
      .map(({ from, to }) => `${from} → ${to}`)
    expect(drawn.sort()).toEqual(real.sort())
  })

  it('has every scope of a key', () => {
    const rows = section(page('docs/guide/accounts.md'), 'Keys')
    const told = [...rows.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z:]+)`/g)].map(([, scope]) => scope),
    )
    expect(told.sort()).toEqual([...KEY_SCOPES].sort())
  })

  it('shows types without their comments', () => {
    for (const { path, text } of pages)
      expect(
        text.split('\n').filter((line) => /^\|.*\/\*\*\s/.test(line)),
        path,
      ).toEqual([])
  })

  it('has every variable of the environment and every command', () => {
    const { text, prose } = page('docs/reference/cli.md')
    expect(environmentVariables().filter((name) => !text.includes(` ${name} `))).toEqual([])
    expect(headings(prose, 2)).toEqual(commandFiles().map(([name]) => name))
  })

  it('has every subpath that is exported', () => {
    expect(headings(page('docs/reference/imports.md').prose, 2)).toEqual(
      entries.map(({ subpath }) => `watchpost${subpath.slice(1)}`),
    )
  })
})

describe('no page mentions', () => {
  it.each([
    ['a variable of the environment', /\bWATCHPOST_[A-Z_]+\b/g, environmentVariables()],
    [
      'a subpath',
      /(?<=['"`])watchpost(?:\/[a-z0-9_-]+)+(?=['"`])/g,
      entries.map(({ subpath }) => `watchpost${subpath.slice(1)}`),
    ],
  ])('%s that is not there', (_what, pattern, known) => {
    const told = pages.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(([name]) => ({ path, name })),
    )
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter(({ name }) => !known.includes(name))).toEqual([])
  })

  it('a command that is not there', () => {
    const known = commandFiles().map(([name]) => name)
    const told = pages.flatMap((each) => {
      const code = [...inlineCode(each), ...each.blocks.map(({ text }) => text)].join('\n')
      return [...code.matchAll(/^\s*(?:\$ )?(?:npx )?watchpost ([a-z]+)\b/gm)].map(
        ([, name = '']) => ({ path: each.path, name }),
      )
    })
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter(({ name }) => !known.includes(name))).toEqual([])
  })

  it('a route of the API that is not there', () => {
    const router = createRouter([
      ...routes,
      ...contactRoutes,
      { method: 'GET', path: '/api/v1/openapi.json' },
      ...['/hb/:token', '/hb/:token/:suffix'].flatMap((path) => [
        { method: 'GET', path },
        { method: 'POST', path },
      ]),
    ])
    const asked = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(GET|POST|PATCH|DELETE|PUT) (\/(?:api|hb)\/[^\s`?)|,]+)/g)].map(
        ([, method = '', route = '']) => ({ path, method, route: route.replace(/\.$/, '') }),
      ),
    )
    expect(asked.length).toBeGreaterThan(routes.length)
    const lost = asked.filter(
      ({ method, route }) =>
        router.match(method, route.replaceAll(/:id|\{id\}/g, '1')).kind !== 'found',
    )
    expect(lost).toEqual([])
  })

  it('a name in snake_case that no source has', () => {
    const sources = sourcePaths().map((path) => readFileSync(join(root, path), 'utf8'))
    const known = new Set(sources.flatMap((text) => text.match(/[a-z][a-z0-9]*(?:_[a-z0-9]+)+/g)))
    // Names of MariaDB, MySQL, PostgreSQL, PgBouncer and SQLite, which no source of ours has.
    for (const name of [
      'mysql_native_password',
      'mysql_clear_password',
      'client_ed25519',
      'auth_gssapi_client',
      'txid_status',
      'search_path',
      'full_page_writes',
      'synchronous_standby_names',
      'pg_dump',
      'max_prepared_statements',
      'ignore_startup_parameters',
      'json_each',
      'sys_exec',
      'query_to_xml',
      'ts_stat',
      'pg_is_in_recovery',
      'pg_wal_lsn_diff',
      'pg_size_pretty',
      'pg_sleep',
      'pg_write_server_files',
      'pg_execute_server_program',
    ]) {
      known.add(name)
    }
    const strange = pages
      .filter(({ path }) => path.startsWith('docs/') || path === 'README.md')
      .flatMap((each) =>
        inlineCode(each)
          .filter((code) => /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(code) && !known.has(code))
          .filter((code) => !/^(?:http|smtp)_\d+$/.test(code))
          .map((code) => `${each.path}: ${code}`),
      )
    expect(strange).toEqual([])
  })

  it('a file of this repository that is not there', () => {
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:examples|test|src|scripts)\/[\w./-]*\w\.(?:ts|mjs|js|json)\b/g)].map(
        ([file]) => ({ path, file }),
      ),
    )
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter(({ file }) => !existsSync(join(root, file)))).toEqual([])
  })
})

describe('pages', () => {
  it('have no link or anchor that leads nowhere', () => {
    const broken = pages.flatMap((each) =>
      brokenLinks(each, pages).map((target) => `${each.path} → ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('are all reached from docs/README.md', () => {
    const reached = new Set<string>()
    const follow = (path: string): void => {
      if (reached.has(path)) return
      reached.add(path)
      const { prose } = page(path)
      const links =
        /\]\((?:https:\/\/github\.com\/watchpost\/watchpost\/blob\/HEAD\/(\S+?\.md)|([^)#\s:]+\.md))(?:#[^)]*)?\)/g
      for (const [, ours, target = ''] of prose.matchAll(links)) {
        const next = ours ?? join(path, '..', target).replaceAll('\\', '/')
        if (pages.some((each) => each.path === next)) follow(next)
      }
    }
    follow('docs/README.md')
    const docs = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'))
    expect(docs.filter((path) => !reached.has(path))).toEqual([])
  })

  it('have code that compiles against the package', () => {
    expect(problemsIn(pages)).toEqual([])
  })
})

describe('the eyes of these tests', () => {
  const text = [
    '# One',
    'See [two](#two), [three](#three), [this](README.md) and [that](lost.md).',
    '## Two',
    '```ts',
    "import { http } from 'watchpost/checkers/http'",
    '',
    'const port: number = http().type',
    '```',
    '```ts continued',
    'port.nothing()',
    '```',
    '## Two',
  ].join('\n')
  const planted = parsePage('docs/planted.md', text)

  it('see a broken link and a broken anchor', () => {
    expect(brokenLinks(planted, [...pages, planted])).toEqual(['#three', 'lost.md'])
    expect(anchors(planted)).toEqual(['one', 'two', 'two-1'])
  })

  it('see a mistake in code, at its line in the page', () => {
    expect(problemsIn([planted])).toEqual([
      expect.stringMatching(/^docs\/planted\.md:7: .*not assignable/),
      expect.stringMatching(/^docs\/planted\.md:10: Property 'nothing'/),
    ])
  })
})

function page(path: string): Page {
  const found = pages.find((each) => each.path === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found
}

function read(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}
