/** The few pieces of Markdown that generated pages are made of. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')
}

export function code(text: string): string {
  return `\`${text}\``
}

/** Text that is no Markdown, to stand in it as it is. */
export function plain(text: string): string {
  return text.replace(/[\\<*]/g, '\\$&')
}

export function block(language: string, text: string): string {
  return ['```' + language, text, '```'].join('\n')
}

export function json(value: unknown): string {
  return block('json', JSON.stringify(value, undefined, 2))
}

export function page(title: string, ...parts: readonly string[]): string {
  return `${[`# ${title}`, NOTE, ...parts].join('\n\n')}\n`
}

const NOTE = '<!-- Made by `npm run docs` from the sources. Change those, not this. -->'

/**
 * `text` with `content` between the markers `<!-- name:begin -->` and `<!-- name:end -->`.
 *
 * @throws where the pair is not there exactly once
 */
export function fill(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`]
  const [before = '', inside, ...more] = text.split(begin)
  const [, after, ...again] = inside?.split(end) ?? []
  if (after === undefined || more.length + again.length > 0) {
    throw new Error(`one pair of ${begin} and ${end} is expected`)
  }
  return [before + begin, content, end + after].join('\n\n')
}
