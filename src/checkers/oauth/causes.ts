/**
 * Causes of a check that gets no token. The target has not been asked then.
 *
 * @module
 */

import type { OAuthCause } from '../../net/failure.ts'
import type { CauseInfo } from '../causes.ts'

export const OAUTH_CAUSES = {
  /**
   * The authorization server in `oauth.token_url` is down, or not to be reached from this location; a monitor of its
   * own (`http`) alerts. Its certificate must be valid, whatever `ignore_tls_errors` says.
   */
  oauth_unreachable: {
    text: 'The token endpoint cannot be reached',
    verdict: 'unknown',
    phase: 'oauth',
  },
  /** As `oauth_unreachable`, or it is slow. */
  oauth_timeout: {
    text: 'The token endpoint did not answer in time',
    verdict: 'unknown',
    phase: 'oauth',
  },
  /**
   * settings: The authorization server refuses the client. `invalid_client`: the secret has expired or is wrong, or
   * `oauth.auth_method` is the other one. `invalid_scope`: see `oauth.scope` and `oauth.audience`.
   */
  oauth_refused: { text: 'The token endpoint refuses the client credentials', phase: 'oauth' },
  /**
   * Something else answers at `oauth.token_url`, or the authorization server fails: `cause_text` contains the status.
   */
  oauth_protocol_error: {
    text: 'The answer of the token endpoint is no token',
    verdict: 'unknown',
    phase: 'oauth',
  },
} as const satisfies Readonly<Record<OAuthCause, CauseInfo>>
