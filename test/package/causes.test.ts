import { describe, expect, it } from 'vitest'
import { causeNotes } from '../../scripts/docs/cause-advice.ts'
import { verdicts } from '../../scripts/docs/reference-pages.ts'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import type { CauseInfo } from 'watchpost/checkers/causes'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { explain } from '../../src/net/explain.ts'
import { CheckFailure } from '../../src/net/failure.ts'

const own = builtinCheckers({ extra: true }).map(({ causes }) => causes)
const causes = Object.entries<CauseInfo>(Object.assign({}, SHARED_CAUSES, ...own))
const notes = causeNotes(verdicts(builtinCheckers({ extra: true })))

describe('who is to blame for a cause', () => {
  it('is said of every cause, with what to check', () => {
    expect([...notes.keys()].sort()).toEqual(causes.map(([code]) => code).sort())
    expect([...notes.values()].filter(({ advice }) => advice === '')).toEqual([])
  })

  it.each(causes)(
    '%s is no failure of the target where it is ours',
    (code, { verdict = 'fail' }) => {
      if (notes.get(code)?.side === 'watchpost') expect(verdict).toBe('unknown')
      if (
        /_limit$|^too_long$|^probe_|^internal_error$/.test(code) &&
        code !== 'http_redirect_limit'
      ) {
        expect(verdict).toBe('unknown')
      }
    },
  )

  it.each(Object.entries<CauseInfo>(SHARED_CAUSES))(
    '%s that is thrown has the verdict of the table',
    (code, { verdict = 'fail' }) => {
      expect(explain(new CheckFailure(code, 'seen'), { phase: null }).verdict).toBe(verdict)
    },
  )
})
