/** The metrics and labels that a PromQL expression names, as far as our rules and panels go. */

export interface Matcher {
  readonly metric: string
  readonly label: string
  readonly operator: string
  readonly value: string
}

export interface Named {
  readonly metrics: readonly string[]
  readonly matchers: readonly Matcher[]
  /** In `by`, `without`, `on` and `ignoring`. */
  readonly grouping: readonly string[]
  /** What is left of the labels where the outermost aggregation names them. */
  readonly kept: readonly string[] | undefined
}

export function namedIn(expression: string): Named {
  const matchers: Matcher[] = []
  const bare = expression.replace(/(\w+)\{([^}]*)\}/g, (_, metric: string, inner: string) => {
    for (const [, label = '', operator = '', value = ''] of inner.matchAll(
      /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g,
    )) {
      matchers.push({ metric, label, operator, value })
    }
    return metric
  })
  const lists = [...bare.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].map(
    ([, labels = '']) => labels.split(',').map((label) => label.trim()),
  )
  const aggregated = /\b(?:sum|max|min|avg|count) by \(([^)]*)\)/.exec(bare)?.[1]
  const quantile = /^histogram_quantile/.test(bare)
  return {
    metrics: [...new Set(bare.match(/\b(?:watchpost|process)_\w+\b/g))],
    matchers,
    grouping: [...new Set(lists.flat())],
    kept: aggregated
      ?.split(',')
      .map((label) => label.trim())
      .filter((label) => !(quantile && label === 'le')),
  }
}
