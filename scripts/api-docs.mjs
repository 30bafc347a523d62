/**
 * `npm run api-docs`: the public API with its doc comments as a site of static pages, for every subpath
 * under its name (`@module`), in .cache/api-docs. A link in a comment that leads nowhere is an error; what is
 * used by a signature and exported from nowhere is not, since it is no name of ours to the outside.
 */

import { entries } from './entries.mjs'
import { tool } from './steps.mjs'

const out = '.cache/api-docs'

const status = await tool('typedoc/bin/typedoc', [
  ...entries.flatMap(({ source }) => ['--entryPoints', source]),
  '--out',
  out,
  '--name',
  'watchpost',
  '--readme',
  'none',
  '--tsconfig',
  'tsconfig.json',
  '--excludeInternal',
  '--excludePrivate',
  '--validation.notExported',
  'false',
  '--treatValidationWarningsAsErrors',
  '--disableGit',
  '--sourceLinkTemplate',
  'src/{path}#L{line}',
  '--skipErrorChecking',
  '--githubPages',
  'false',
])
if (status === 0) console.log(`The pages begin with ${out}/index.html`)
process.exitCode = status
