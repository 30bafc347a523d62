/** Nobody learns from us to write a password into a command line. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'

/** A setting, flag or variable that holds a secret, with a value that is neither a variable nor left open. */
const SECRET =
  /(?:^|[\s`'"])(?:--(?:secret|secret-key|api-key|metrics-token)[= ]|(?:[\w-]+\.)?(?:pass|secret|token|password)=|[A-Z_]*(?:SECRET|PASS|TOKEN|API_KEY)[A-Z_]*=)(?!"?\$|…|\s)\S/
const LOGIN_IN_URL = /:\/\/[^\s/:@]+:(?!…|\$)[^\s/@]+@/

function mistakesIn(text: string): string[] {
  const commands = text
    .split('\n')
    .filter((line) => /\bwatchpost (?:check|verify|serve|keys|apply|import|probe)\b/.test(line))
  return commands.filter((line) => SECRET.test(line) || LOGIN_IN_URL.test(line))
}

it('no example of a command has a secret in it', () => {
  const listed = execFileSync('git', ['ls-files', '*.md', 'src/cli', 'examples', 'scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const files = listed.split('\n').filter(Boolean)
  expect(files.length).toBeGreaterThan(50)
  const found = files.flatMap((file) => {
    const text = readFileSync(new URL(file, `file://${root}/`), 'utf8')
    return mistakesIn(text).map((line) => `${file}: ${line.trim()}`)
  })
  expect(found).toEqual([])
})

it.each([
  ['watchpost check http url=https://a auth.pass=secret', true],
  ['watchpost check http url=https://me:secret@a/', true],
  ['watchpost verify --secret s3cret body.json', true],
  ['DATABASE_URL=postgres://w:secret@db/w watchpost serve', true],
  ['WEBHOOK_SECRET=s3cret watchpost verify', true],
  ['watchpost import kuma mariadb://user:secret@host/kuma', true],
  ['watchpost import kuma env:KUMA_URL', false],
  ['watchpost check http url=https://a auth.pass@=env:SHOP_PASS', false],
  ['WEBHOOK_SECRET=$(cat secret) watchpost verify --header x', false],
])('%s is one: %s', (line, isOne) => {
  expect(mistakesIn(line).length > 0).toBe(isOne)
})
