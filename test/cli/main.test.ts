import { describe, expect, it } from 'vitest'
import { COMMANDS as TABLE } from '../../src/cli/commands.ts'
import { VERSION } from '../../src/version.ts'
import { commandLine } from '../support/command-line.ts'

const watchpost = commandLine({ own: true })

const COMMANDS = Object.keys(TABLE)

describe('watchpost', () => {
  it('tells its version', async () => {
    expect(await watchpost.run(['--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
  })

  it('tells what it can do', async () => {
    const { code, stdout } = await watchpost.run(['--help'])
    expect(code).toBe(0)
    for (const name of COMMANDS) {
      expect(stdout).toContain(`watchpost ${name}`)
    }
  })

  it.each(COMMANDS)('%s --help explains itself on stdout', async (name) => {
    const { code, stdout, stderr } = await watchpost.run([name, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`watchpost ${name}`)
    expect(stdout, 'it documents its exit codes').toMatch(/^Exit code: 0 \w+/m)
    const long = stdout.split('\n').filter((line) => line.length > 120)
    expect(long, 'lines that a terminal would break').toEqual([])
  })

  it.each([
    [[], 'a command is expected'],
    [['dance'], 'there is no command "dance"'],
    [['constructor'], 'there is no command "constructor"'],
    [['types', '--yaml'], "Unknown option '--yaml'"],
    [['verify', '--header'], "Option '--header <value>' argument missing"],
    [['types', '--json=1'], "Option '--json' does not take an argument"],
    [['probe'], '--location: the name of a location is expected'],
    [['probe', '--location', 'a'], 'REDIS_URL: the Redis of serve is expected'],
  ])('%j is wrong usage: one line on stderr, exit 64', async (args, problem) => {
    const { code, stdout, stderr } = await watchpost.run(args)
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toMatch(/^watchpost: .*\n$/)
    expect(stderr).toContain(problem)
  })
})
