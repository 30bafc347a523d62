import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findBinary } from './binaries.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const NEED = fileURLToPath(new URL('need.ts', import.meta.url))

/** Runs a test file of its own that needs a server nobody has; outside of what a run of all tests finds. */
async function runWith(
  environment: Record<string, string>,
): Promise<{ code: number; output: string }> {
  await mkdir(join(ROOT, '.cache'), { recursive: true })
  const dir = await mkdtemp(join(ROOT, '.cache', 'need-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await mkdir(join(dir, 'test'))
  await writeFile(
    join(dir, 'test', 'absent.test.ts'),
    `import { it } from 'vitest'
import { describeWithServer } from ${JSON.stringify(NEED)}
const absent = { name: 'Absent', packages: 'absent-server', locate: () => undefined }
describeWithServer(absent, 'against an absent server', () => { it('runs', () => {}) })
`,
  )
  const env = { ...process.env, ...environment, NO_COLOR: '1' }
  try {
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
    const { stdout, stderr } = await run(process.execPath, [vitest, 'run', '--root', dir], {
      cwd: ROOT,
      env,
    })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}

describe('tests that need a server which is not installed', () => {
  it('are skipped, with the line that installs it', async () => {
    const { code, output } = await runWith({ REQUIRE_SERVERS: '' })
    expect(output).toContain('apt-get install -y --no-install-recommends absent-server')
    expect(output).toMatch(/1 skipped/)
    expect(code).toBe(0)
  })

  it('fail with that line where REQUIRE_SERVERS=1', async () => {
    const { code, output } = await runWith({ REQUIRE_SERVERS: '1' })
    expect(output).toContain('apt-get install -y --no-install-recommends absent-server')
    expect(output).toMatch(/1 failed/)
    expect(code).toBe(1)
  })
})

describe('findBinary', () => {
  it('finds the first name that is an executable file', () => {
    expect(findBinary(['no-such-program', 'sh'])).toMatch(/\/sh$/)
    expect(findBinary(['no-such-program'])).toBeUndefined()
  })
})
