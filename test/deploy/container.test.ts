import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { environmentVariables } from '../../scripts/docs/source-facts.ts'
import { environmentOf, readDockerfile, textsOf, wordsOf } from './dockerfile.ts'

// The file is read; test/bundles/image.test.ts carries its steps out.

const stages = readDockerfile(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))
const last = stages.at(-1)
const runs = stages.flatMap((stage) => textsOf(stage, 'RUN'))
const healthCheck = textsOf(last, 'HEALTHCHECK')[0] ?? ''

describe('the Dockerfile', () => {
  it('has two stages of the same image, with a version', () => {
    const [first, second] = stages.map(({ image }) => image)
    expect(stages).toHaveLength(2)
    expect(first).toMatch(/^node:\d+-\w+-slim$/)
    expect(second).toBe(first)
  })

  it('copies from the first stage, by name, what that one installed', () => {
    expect(textsOf(last, 'COPY')).toEqual([`--from=${stages[0]?.name ?? ''} /app ./`])
    expect(textsOf(stages[0], 'COPY')).toEqual(['package.json package-lock.json* ./'])
    expect(runs.join('\n')).toMatch(/npm install --omit=dev --ignore-scripts/)
  })

  it('runs as a user that is not root, whom the data belong to', () => {
    expect(textsOf(last, 'USER')).toEqual(['node'])
    const [volume = ''] = textsOf(last, 'VOLUME')
    expect(dirname(environmentOf(last)['WATCHPOST_DATA'] ?? '')).toBe(volume)
    expect(runs).toContain(`install -d -o node -g node -m 0700 ${volume}`)
    const order = last?.instructions.map(({ name }) => name) ?? []
    expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'))
  })

  it('starts without a shell, so that signals arrive, and listens to all', () => {
    expect(wordsOf(textsOf(last, 'ENTRYPOINT')[0])).toHaveLength(2)
    expect(wordsOf(textsOf(last, 'CMD')[0])).toEqual(['serve'])
    expect(textsOf(last, 'EXPOSE')).toEqual([environmentOf(last)['PORT']])
    expect(environmentOf(last)['HOST']).toBe('0.0.0.0')
    expect(healthCheck).toMatch(
      /^--interval=\d+s --timeout=\d+s --start-period=\d+s --retries=\d CMD \[/,
    )
  })

  it('sets variables that are there, and no secret', () => {
    const names = Object.keys(environmentOf(last)).filter((name) => name !== 'NODE_ENV')
    expect(names.filter((name) => !environmentVariables().includes(name))).toEqual([])
    expect(names.join(' ')).not.toMatch(/KEY|TOKEN|PASSWORD/)
  })

  it('leaves no lists of packages behind, and installs nothing that is not needed', () => {
    const apt = runs.filter((run) => run.includes('apt-get'))
    for (const run of apt)
      expect(run).toMatch(
        /^apt-get update && apt-get install -y --no-install-recommends [\w -]+ && rm -rf \/var\/lib\/apt\/lists\/\*$/,
      )
    expect(apt).toHaveLength(1)
  })

  it('is sent nothing but the packages', () => {
    const ignored = readFileSync(join(root, 'deploy/.dockerignore'), 'utf8').trim().split('\n')
    expect(ignored).toEqual(['*', '!package.json', '!package-lock.json'])
  })
})
