import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { CheckFailure } from '../../../src/net/failure.ts'
import type { PingOrder } from '../../../src/net/icmp/backend.ts'
import { runProgram } from '../../../src/net/icmp/run-program.ts'
import type { RunOptions } from '../../../src/net/icmp/run-program.ts'
import { systemPing } from '../../../src/net/icmp/system-ping.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { isAlive, programFolder, realPing, until } from '../../support/ping-program.ts'
import { findBinary } from '../../support/servers/binaries.ts'

const order = (rest: Partial<PingOrder> = {}): PingOrder => ({
  address: { address: '127.0.0.1', family: 4 },
  count: 2,
  interval_ms: 200,
  reply_wait_ms: 1000,
  budget_ms: 600_000,
  signal: new AbortController().signal,
  ...rest,
})

const failure = async (path: string, rest: Partial<PingOrder> = {}): Promise<CheckFailure> => {
  const error: unknown = await systemPing({ path })
    .ping(order(rest))
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CheckFailure)
  return error as CheckFailure
}

/** As iputils prints it. */
const REPORT = [
  'echo "64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.5 ms"',
  'echo "1 packets transmitted, 1 received, 0% packet loss, time 0ms"',
].join('\n')

describe('a machine that cannot ping says so, and how to change that:', () => {
  it('there is no program', async () => {
    expect(await failure(programFolder())).toMatchObject({
      code: 'probe_unsupported',
      message: 'This machine has no ping program: apt-get install iputils-ping (or fping)',
    })
  })

  it('the program may not be started', async () => {
    const path = programFolder({ ping: REPORT })
    chmodSync(join(path, 'ping'), 0o644)
    const { code, message } = await failure(path)
    expect({ code, message }).toEqual({
      code: 'probe_unsupported',
      message: expect.stringMatching(
        /does not let ping send ICMP: setcap cap_net_raw\+ep .* sysctl -w net\.ipv4\.ping_group_range/,
      ) as unknown,
    })
  })

  it('the program says what nobody knows, which is shown without its control characters', async () => {
    const path = programFolder({ ping: `printf '\\n\\033[31mno such\\tthing\\n' >&2; exit 64` })
    expect(await failure(path)).toMatchObject({
      code: 'probe_unsupported',
      message:
        'The program ping of this machine says what nobody here understands: [31mno such thing',
    })
  })

  it('the program ends without a word', async () => {
    expect(await failure(programFolder({ ping: 'exit 0' }))).toMatchObject({
      code: 'probe_unsupported',
      message: expect.stringContaining('understands: nothing') as unknown,
    })
  })

  const setpriv = findBinary(['setpriv'])
  it.skipIf(setpriv === undefined || realPing === undefined || process.getuid?.() !== 0)(
    'the real ping without its privilege (needs root and setpriv)',
    async () => {
      const path = programFolder()
      chmodSync(path, 0o755)
      // A copy has no file capabilities.
      copyFileSync(realPing!, join(path, 'real'))
      chmodSync(join(path, 'real'), 0o755)
      const nobody = '--reuid 65534 --regid 65534 --clear-groups --no-new-privs'
      const script = `#!/bin/sh\nexec ${setpriv} ${nobody} ${join(path, 'real')} "$@"\n`
      writeFileSync(join(path, 'ping'), script, { mode: 0o755 })
      const range = readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8').trim()
      const outcome = systemPing({ path }).ping(order())
      // Where the kernel lets every group ping, it needs none.
      if (/^0\s+[1-9]\d{4,}/.test(range)) {
        expect(await outcome).toMatchObject({ sent: 2 })
        return
      }
      await expect(outcome).rejects.toMatchObject({
        code: 'probe_unsupported',
        message: expect.stringContaining('does not let ping send ICMP') as unknown,
      })
    },
  )
})

describe('the own side of this machine', () => {
  it.each([
    ['ping: connect: No route to host', 'host_unreachable'],
    ['ping: connect: Network is unreachable', 'host_unreachable'],
    ['ping: connect: Invalid argument', 'host_unreachable'],
    ['ping: sendmsg: Operation not permitted', 'probe_unsupported'],
    ['ping: Do you want to ping broadcast? Then -b.', 'probe_unsupported'],
    ['ping: socket: Address family not supported by protocol', 'probe_unsupported'],
    ['ping: sendmsg: Network is down', 'probe_offline'],
    ['ping: sendmsg: No buffer space available', 'probe_overloaded'],
  ])('%s: %s', async (stderr, code) => {
    const path = programFolder({
      ping: `echo '${stderr}' >&2; exit 2`,
      fping: `${REPORT}; exit 0`,
    })
    // Asking another program would not help.
    expect((await failure(path)).code).toBe(code)
  })

  it('counts for less than what came back', async () => {
    const path = programFolder({ ping: `echo 'ping: sendmsg: Network is down' >&2\n${REPORT}` })
    expect(await systemPing({ path }).ping(order())).toMatchObject({ sent: 1, error: null })
  })
})

describe('another program is asked', () => {
  const FPING = [
    'echo "127.0.0.1 : [0], 64 bytes, 0.030 ms (0.030 avg, 0% loss)"',
    'echo "127.0.0.1 : 0.030" >&2',
  ].join('\n')

  it.each([
    ['there is no ping', {}],
    ['ping has no privilege', { ping: 'echo "ping: socket: Operation not permitted" >&2; exit 2' }],
    ['ping is not understood', { ping: 'echo "What?"; exit 1' }],
  ])('where %s', async (_, others: Readonly<Record<string, string>>) => {
    const path = programFolder({ ...others, fping: FPING })
    expect(await systemPing({ path }).ping(order())).toEqual({
      sent: 1,
      replies: [{ index: 0, rtt_ms: 0.03, ttl: null }],
      duplicates: 0,
      error: null,
    })
  })

  it('first the next time, until it fails', async () => {
    const path = programFolder()
    const log = join(path, 'log')
    const program = (name: string, script: string): void => {
      const text = `#!/bin/sh\necho ${name} >> ${log}\n${script}\n`
      writeFileSync(join(path, name), text, { mode: 0o755 })
    }
    const asked = (): string[] => {
      const names = readFileSync(log, 'utf8').trim().split('\n')
      writeFileSync(log, '')
      return names
    }
    const backend = systemPing({ path })
    program('ping', 'echo "ping: socket: Permission denied" >&2; exit 2')
    program('fping', FPING)
    await backend.ping(order())
    expect(asked()).toEqual(['ping', 'fping'])
    await backend.ping(order())
    expect(asked()).toEqual(['fping'])
    program('ping', REPORT)
    program('fping', 'exit 4')
    await backend.ping(order())
    expect(asked()).toEqual(['fping', 'ping'])
    await backend.ping(order())
    expect(asked()).toEqual(['ping'])
  })
})

describe('a program under way', () => {
  const options = (rest: Partial<RunOptions> = {}): RunOptions => ({
    clock: systemClock,
    signal: new AbortController().signal,
    budget_ms: 20_000,
    answered: () => true,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    ...rest,
  })
  const sh = (script: string, rest?: Partial<RunOptions>) =>
    runProgram(['sh', '-c', script], options(rest))
  const SLEEP = 'exec sleep 60'

  it('has the given environment and nothing on its input', async () => {
    const { stdout } = await sh('env | grep -v _= | sort; cat')
    expect(stdout.split('\n').filter((line) => !line.startsWith('PWD'))).toEqual([
      'LC_ALL=C',
      'PATH=/usr/bin:/bin',
      '',
    ])
  })

  it('is killed at the abort, and gone when the promise settles', async () => {
    const folder = programFolder()
    const file = join(folder, 'pid')
    const stop = new AbortController()
    const running = sh(`trap '' INT TERM; echo $$ > ${file}; while :; do sleep 1; done`, {
      signal: stop.signal,
    })
    const reason = new Error('enough')
    const settled = expect(running).rejects.toBe(reason)
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    stop.abort(reason)
    await settled
    expect(isAlive(pid)).toBe(false)
  })

  it('is not even started after the abort', async () => {
    const folder = programFolder()
    const file = join(folder, 'started')
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(sh(`touch ${file}`, { signal })).rejects.toThrow('enough')
    expect(existsSync(file)).toBe(false)
  })

  it('is interrupted when its time is up, so that it can still say what it knows', async () => {
    const script = `trap 'echo summary; exit 1' INT; echo begun; while :; do sleep 0.1; done`
    // The 200 ms that it has for its last words are hardly more than the shell needs on a busy machine.
    const patient: RunOptions['clock'] = { timer: (ms, run) => systemClock.timer(20 * ms, run) }
    await withDeadline(500, async (budget_ms) => {
      const { stdout } = await sh(script, { budget_ms: budget_ms / 20, clock: patient })
      expect(stdout).toBe('begun\nsummary\n')
    })
  })

  it('is killed where it does not listen to that', async () => {
    const script = `trap '' INT; echo begun; while :; do sleep 0.1; done`
    await withDeadline(300, async (budget_ms) => {
      const { stdout } = await sh(script, { budget_ms })
      expect(stdout).toBe('begun\n')
    })
  })

  it('is not waited for where something that it started holds its output', async () => {
    const script = `echo $$; sleep 30 & trap '' INT; wait; wait; sleep 30`
    await withDeadline(300, async (budget_ms) => {
      const { stdout } = await sh(script, { budget_ms })
      expect(stdout).toMatch(/^\d+\n$/)
    })
  })

  it('is left alone by the loss of patience where something came back', async () => {
    const answered = ({ stdout }: { stdout: string }): boolean => stdout !== ''
    await withDeadline(300, async (first_reply_ms) => {
      const script = `echo here; sleep ${first_reply_ms / 500}; echo end`
      expect(await sh(script, { first_reply_ms, answered })).toEqual({
        stdout: 'here\nend\n',
        stderr: '',
        cut: false,
      })
    })
    const silent = await sh(SLEEP, { first_reply_ms: 300, answered })
    expect(silent).toEqual({ stdout: '', stderr: '', cut: false })
  })

  it.each(['yes', 'yes >&2'])('%s fills no memory, and is killed at once', async (script) => {
    const { stdout, stderr, cut } = await sh(script, { budget_ms: 600_000 })
    expect([stdout.length + stderr.length, cut]).toEqual([65_536, true])
  })

  it('that is not there is an error of the system', async () => {
    await expect(runProgram(['no-such-program'], options())).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})
