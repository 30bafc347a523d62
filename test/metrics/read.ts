/** Reads the text format by its grammar, as far as a test needs it. */

type Labels = Readonly<Record<string, string>>

/** The value of the sample with exactly these labels, `undefined` where there is none. */
export function valuesOf(text: string): (name: string, labels: Labels) => number | undefined {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const parts = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)?.groups
    if (parts === undefined) throw new Error(`This is no sample: ${line}`)
    const labels = Object.fromEntries(
      [...(parts['labels'] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
        ([, name = '', value = '']) => [
          name,
          value.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one)),
        ],
      ),
    )
    const key = keyOf(parts['name'] ?? '', labels)
    if (values.has(key)) throw new Error(`The sample is there twice: ${line}`)
    values.set(key, Number(parts['value']?.replace('Inf', 'Infinity')))
  }
  return (name, labels) => values.get(keyOf(name, labels))
}

function keyOf(name: string, labels: Labels): string {
  return JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}
