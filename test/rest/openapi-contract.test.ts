import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { contactRoutes, routes } from '../../src/rest/routes.ts'

interface Parameter {
  readonly name: string
  readonly in: string
}

interface Answer {
  readonly description: string
  readonly content?: object
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, Answer>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** One line for each parameter and each answer; of refusals only their status: most are alike. */
function linesOf(title: string, { parameters = [], responses, ...about }: Operation): string[] {
  const answers = Object.entries(responses)
  const taken = answers.filter(([status]) => Number(status) < 400)
  const refused = answers.filter(([status]) => Number(status) >= 400)
  return [
    '',
    title,
    ...Object.entries(about).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...parameters.map(({ name, in: place, ...of }) => `  ${place} ${name}: ${JSON.stringify(of)}`),
    ...taken.map(([status, { description, content = null }]) => {
      return `  ${status} ${JSON.stringify(description)}: ${JSON.stringify(content)}`
    }),
    `  refusals: ${refused.map(([status]) => status).join(' ')}`,
  ]
}

const refusalsOf = ({ responses }: Operation): string[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, answer]) => `  ${status}: ${JSON.stringify(answer)}`)
    .toSorted()

/** What the types of monitors have is for the tests of their fields. */
const noTypes = { tables: () => new Map(), list: () => [], common: () => [] }

it('the document that clients are generated from changes only together with its file', async () => {
  const all = [...routes, ...contactRoutes]
  const document: unknown = openApiDocument({ routes: all, types: noTypes, base_path: '' })
  const { paths, components } = document as Document
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const lines = [
    ...Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        linesOf(`${method.toUpperCase()} ${path}`, operation),
      ),
    ),
    ...['', 'Refusals', ...new Set(operations.flatMap(refusalsOf))],
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      '',
      name,
      `  ${JSON.stringify(schema)}`,
    ]),
  ]
  // `npx vitest run --update test/rest/openapi-contract.test.ts` writes it; its diff is what clients notice.
  await expect(`${lines.join('\n').trim()}\n`).toMatchFileSnapshot('openapi-contract.txt')
})
