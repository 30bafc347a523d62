/**
 * The addresses of a host, for one check: resolved, and allowed by the policy.
 *
 * @module
 */

import { toAddress } from '../connection/endpoint.ts'
import type { Address, IpFamily } from '../connection/endpoint.ts'
import type { Inside } from '../dns/inside.ts'
import { parseDnsName } from '../dns/names.ts'
import { CheckFailure } from '../failure.ts'
import type { TargetPolicy } from '../net.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Trace } from '../timing/trace.ts'
import { literal } from './resolver.ts'
import type { Resolver } from './resolver.ts'

export interface AddressSources {
  readonly policy: TargetPolicy
  readonly inside: Inside | undefined
  readonly resolver: Resolver
}

export interface Looking {
  readonly signal: StopSignal
  readonly deadlineIn: () => number
  readonly trace: Pick<Trace, 'phase'>
  readonly account_id?: number | undefined
}

export interface JudgedAddresses {
  /** An address needs no lookup, so its trace has no resolve phase; `undefined` for a name. */
  known(host: string, ip_family?: IpFamily): readonly Address[] | undefined
  lookUp(host: string, ip_family?: IpFamily): Promise<readonly Address[]>
  resolve(host: string, ip_family?: IpFamily): Promise<readonly Address[]>
}

export function judgedAddresses(
  { policy, inside, resolver }: AddressSources,
  { signal, deadlineIn, trace, account_id }: Looking,
): JudgedAddresses {
  function known(host: string, ip_family: IpFamily = 'auto'): readonly Address[] | undefined {
    if (toAddress(host) === undefined) return undefined
    return judged(policy, host, literal(host, ip_family))
  }

  async function lookUp(host: string, ip_family: IpFamily = 'auto'): Promise<readonly Address[]> {
    // Even the existence of an internal name must not be revealed.
    inside?.refuse(parseDnsName(host) ?? host)
    const found = await trace.phase('resolve', () =>
      resolver.resolve(host, ip_family, { signal, within_ms: deadlineIn(), account_id }),
    )
    return judged(policy, host, found)
  }

  return {
    known,
    lookUp,
    resolve: async (host, ip_family) => known(host, ip_family) ?? lookUp(host, ip_family),
  }
}

/**
 * One blocked address blocks the name: otherwise an attacker's name server could be queried until
 * it returns the wanted address. The text does not reveal what the name resolves to.
 */
function judged(
  policy: TargetPolicy,
  host: string,
  addresses: readonly Address[],
): readonly Address[] {
  const refused = addresses.some(({ address }) => policy({ host, address }) !== undefined)
  if (!refused) return addresses
  const text = `The address of ${host} is not allowed as a target`
  throw new CheckFailure('connect_blocked', text, { phase: 'connect' })
}
