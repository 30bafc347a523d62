/** Who changed what stands in the audit log. */
import type { Rule } from './rule.ts'

export const AUDIT_RULES: readonly Rule[] = [
  {
    name: 'silent-update',
    about: 'A change of the settings is not logged.',
    file: 'engine/services/monitor-update.ts',
    find: '    ...monitorAudit(context, cached, next),\n',
    replace: '',
  },
  {
    name: 'log-beside-the-commit',
    about: 'What is committed takes no record into the log with it.',
    file: 'store/memory/commit.ts',
    find: '  addAudit(tables, change.audit, monitor)\n',
    replace: '',
  },
  {
    name: 'round-as-a-person',
    about: 'A monitor that resumes is logged as paused.',
    file: 'engine/services/monitor-actions.ts',
    find: "kind === 'pause' ? 'paused' : 'resumed'",
    replace: "'paused'",
  },
]
