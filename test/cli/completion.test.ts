import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestContext } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { bash } from '../../src/cli/completion/bash.ts'
import { fish } from '../../src/cli/completion/fish.ts'
import { describedIn, grammar } from '../../src/cli/completion/grammar.ts'
import { zsh } from '../../src/cli/completion/zsh.ts'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

const SHELLS = ['bash', 'zsh', 'fish'] as const
const scripts = new Map<string, string>()

beforeAll(async () => {
  const commands = await grammar()
  for (const [shell, write] of Object.entries({ bash, zsh, fish })) {
    scripts.set(shell, write(commands))
  }
})

describe('watchpost completion', () => {
  it.for(SHELLS)('%s: the shell itself takes the script', (shell, test) => {
    need(shell, test)
    const file = join(folder(), 'completion')
    writeFileSync(file, scripts.get(shell) ?? '')
    const { status, stderr } = spawnSync(shell, ['-n', file], {
      encoding: 'utf8',
      timeout: 10_000,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it.each(SHELLS)('%s: has every command, flag and type, and all settings of a type', (shell) => {
    const script = scripts.get(shell) ?? ''
    for (const name of Object.keys(COMMANDS)) expect(script).toContain(name)
    for (const { type } of builtinCheckers({ extra: true }))
      expect(script).toMatch(new RegExp(`\\b${type}\\b`))
    expect(script).toMatch(/url= method= .*auth\.user= /)
    expect(script).toMatch(/-l webhook-allow|--webhook-allow/)
  })

  it('prints the script, ready to be sourced', async () => {
    const { code, stdout, stderr } = await watchpost.run(['completion', 'bash'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(scripts.get('bash'))
  })

  it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('%j is wrong usage', async (words) => {
    const { code, stderr } = await watchpost.run(['completion', ...words])
    expect(code).toBe(64)
    expect(stderr).toBe('watchpost: completion takes one of bash, zsh, fish (see --help)\n')
  })

  it('knows what every flag of every command is for', async () => {
    for (const { name, flags } of await grammar()) {
      const dumb = flags.filter(({ about }) => about === '').map((flag) => `${name} --${flag.name}`)
      expect(dumb).toEqual([])
    }
  })

  it('reads the flags of a help text, with and without a variable', () => {
    const help = `  --port      PORT     Port to listen on\n  --json               As JSON\n  watchpost --no`
    expect([...describedIn(help)]).toEqual([
      ['port', 'Port to listen on'],
      ['json', 'As JSON'],
    ])
  })
})

describe('in a real bash', () => {
  const typings: readonly (readonly [typed: string, expected: readonly string[]])[] = [
    ['watchpost ser', ['serve']],
    ['watchpost check ht', ['http']],
    ['watchpost check http ur', ['url=']],
    ['watchpost check http url=http://a auth.', ['auth.user=', 'auth.pass@=']],
    ['watchpost check http auth.pass@=', []],
    ['watchpost check http auth.pass@=env:X ur', ['url=']],
    ['watchpost check --targets public tc', ['tcp']],
    ['watchpost check --targets=open dn', ['dns']],
    ['watchpost check http --ti', ['--timeout-ms']],
    ['watchpost check heart', []],
    ['watchpost serve --log-level ', ['debug', 'info', 'warn', 'error', 'silent']],
    ['watchpost serve --targets=p', ['public']],
    ['watchpost check http url=', []],
    ['watchpost types http sm', ['smtp']],
    ['watchpost keys ', ['create', 'list', 'revoke']],
    ['watchpost keys create ', []],
    ['watchpost import g', ['gatus']],
    ['watchpost completion ', ['bash', 'zsh', 'fish']],
    ['watchpost dance ', []],
  ]
  it.each(typings)('"%s" is completed to %j', (typed, expected) => {
    expect(completedByBash(typed)).toEqual(expected)
  })
})

/** What bash would offer behind this, the words cut as readline cuts them. */
function completedByBash(typed: string): string[] {
  const words: string[] = typed.match(/@?=|[^\s=@]+/g) ?? []
  if (typed.endsWith(' ')) words.push('')
  const list = words.map((word) => `'${word}'`).join(' ')
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '--noprofile'], {
    input: `${scripts.get('bash') ?? ''}
COMP_WORDS=(${list})
COMP_CWORD=${words.length - 1}
_watchpost watchpost
printf '%s\\n' "\${COMPREPLY[@]}"
`,
    encoding: 'utf8',
    timeout: 10_000,
  })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter((line) => line !== '')
}

function need(command: string, test: TestContext): void {
  const missing = spawnSync(command, ['--version'], { timeout: 10_000 }).error !== undefined
  if (missing) test.skip(`${command} is not installed`)
}
