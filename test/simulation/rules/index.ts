/**
 * Rules of the sources, each broken by a small change of their text. Every one of them has to turn the
 * simulation red; one that does not shows an invariant that sleeps.
 */
import { ATTEMPT_RULES } from './attempts.ts'
import { AUDIT_RULES } from './audit.ts'
import { ENDING_RULES } from './endings.ts'
import { FLEET_RULES } from './fleets.ts'
import { INCIDENT_RULES } from './incidents.ts'
import { PLACE_RULES } from './places.ts'
import { ROUND_RULES } from './rounds.ts'
import type { Rule } from './rule.ts'
import { TELLING_RULES } from './telling.ts'
import { WAITING_RULES } from './waiting.ts'

export const RULES: readonly Rule[] = [
  ...ROUND_RULES,
  ...INCIDENT_RULES,
  ...TELLING_RULES,
  ...ENDING_RULES,
  ...ATTEMPT_RULES,
  ...PLACE_RULES,
  ...WAITING_RULES,
  ...AUDIT_RULES,
  ...FLEET_RULES,
]
