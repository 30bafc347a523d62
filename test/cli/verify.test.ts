import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

const BODY = JSON.stringify({
  event: 'down',
  notification_id: 7,
  sent_at: '2026-01-02T03:04:05.678Z',
  monitor: null,
  incident: null,
})
const HEADER = signature('s3cret', BODY)

function signature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

describe('watchpost verify', () => {
  it('says of a genuine body on stdin that it is, and exits with 0', async () => {
    const args = ['verify', '--secret', 's3cret', '--header', HEADER]
    const ended = await watchpost.run(args, { input: BODY })
    expect(ended).toMatchObject({ code: 0, stdout: 'genuine: down, notification 7\n', stderr: '' })
  })

  it('takes the body from a file or from "-", and the secret from WEBHOOK_SECRET', async () => {
    const file = join(folder(), 'body.json')
    writeFileSync(file, BODY)
    const env = { WEBHOOK_SECRET: 's3cret' }
    expect(await watchpost.run(['verify', '--header', HEADER, file], { env })).toMatchObject({
      code: 0,
    })
    const dash = await watchpost.run(['verify', '--header', HEADER, '-'], { env, input: BODY })
    expect(dash.code).toBe(0)
  })

  it('accepts any of several secrets, and a flag wins over the variable', async () => {
    const both = ['verify', '--secret', 'new', '--secret', 's3cret', '--header', HEADER]
    expect((await watchpost.run(both, { input: BODY })).code).toBe(0)
    const flag = ['verify', '--secret', 'new', '--header', HEADER]
    const ended = await watchpost.run(flag, { input: BODY, env: { WEBHOOK_SECRET: 's3cret' } })
    expect(ended.code).toBe(2)
  })

  it.each([
    ['another secret', 'other', HEADER, BODY, 'mismatch'],
    ['a body of one more byte', 's3cret', HEADER, `${BODY}\n`, 'mismatch'],
    ['a header in another form', 's3cret', HEADER.slice(7), BODY, 'malformed_header'],
    ['a signed body that is no webhook', 's3cret', signature('s3cret', '{}'), '{}', 'bad_body'],
  ])('exits with 2 for %s', async (_what, secret, header, input, reason) => {
    const ended = await watchpost.run(['verify', '--secret', secret, '--header', header], { input })
    expect(ended.code).toBe(2)
    expect(ended.stdout).toMatch(/^not genuine: .*\n$/)
    expect(ended.stdout).toContain(`(${reason})`)
  })

  it('looks at the age where a tolerance is given', async () => {
    const args = ['verify', '--secret', 's3cret', '--header', HEADER, '--tolerance-sec', '60']
    const ended = await watchpost.run(args, { input: BODY })
    expect(ended.code).toBe(2)
    expect(ended.stdout).toContain('(outside_tolerance)')
  })

  it.each([
    [['--header', HEADER], '--secret or WEBHOOK_SECRET is expected'],
    [['--secret', '', '--header', HEADER], '--secret or WEBHOOK_SECRET is expected'],
    [['--secret', 's'], '--header is expected'],
    [['--secret', 's', '--header', HEADER, 'a', 'b'], 'one file at most'],
    [['--secret', 's', '--header', HEADER, '--tolerance-sec', 'x'], '--tolerance-sec: "x"'],
  ])('%j is wrong usage', async (args, problem) => {
    const { code, stderr } = await watchpost.run(['verify', ...args], { input: BODY })
    expect(code).toBe(64)
    expect(stderr).toContain(problem)
  })

  it('says which file it cannot read', async () => {
    const file = join(folder(), 'nothing')
    const args = ['verify', '--secret', 's', '--header', HEADER, file]
    const { code, stderr } = await watchpost.run(args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^watchpost: .*nothing cannot be read: .*\n$/)
  })

  it('reads no more than a mebibyte', async () => {
    const args = ['verify', '--secret', 's', '--header', HEADER]
    const { code, stderr } = await watchpost.run(args, { input: 'x'.repeat(1_100_000) })
    expect(code).toBe(1)
    expect(stderr).toContain('more than 1048576 bytes')
  })
})
