import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const clockAlone = 'Time, timers and randomness come from the clock port (src/clock.ts).'
const cliAlone = 'The host owns its process and its output; only src/cli speaks for it.'

const platformClock = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
].map((name) => ({ name, message: clockAlone }))

const platformTime = [
  { object: 'Date', property: 'now', message: clockAlone },
  { object: 'Math', property: 'random', message: clockAlone },
  { object: 'AbortSignal', property: 'timeout', message: clockAlone },
  { object: 'performance', property: 'now', message: clockAlone },
]

const hostOutput = [{ name: 'console', message: cliAlone }]

const refusesUmlauts = {
  object: 'URL',
  property: 'canParse',
  message: 'Once compiled, that of Node 20 refuses letters such as ü: canParseUrl of model/url.ts.',
}

/** What belongs to the host. `process.platform`, `pid`, `getBuiltinModule` and the like are facts. */
const hostProcess = [
  'argv',
  'chdir',
  'cwd',
  'emit',
  'env',
  'exit',
  'exitCode',
  'off',
  'on',
  'once',
  'removeListener',
  'stderr',
  'stdin',
  'stdout',
].map((property) => ({ object: 'process', property, message: cliAlone }))

/** Node's modules that bring back what the rules above take away. */
const backDoors = {
  patterns: [
    { regex: '^node:timers', message: clockAlone },
    { regex: '^node:perf_hooks$', message: clockAlone },
    { regex: '^node:(?:process|console)$', message: cliAlone },
    {
      regex: '^(?!node:)(?:fs|net|tls|dns|http|https|crypto|path|os|url|util|stream|events)(?:/|$)',
      message: 'Write node: before the names of built-in modules.',
    },
  ],
}

const nameless = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: clockAlone,
  },
  { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
  { selector: 'TSEnumDeclaration', message: 'A union of literals says it without code.' },
]

/** @param {import("eslint").Rule.Node} node */
const linesOf = ({ loc }) => (loc?.end.line ?? 0) - (loc?.start.line ?? 0) + 1

/**
 * The length of functions. A factory returns an object of closures, so that its lines are those of all of them: what a
 * reader takes in at once is its own lines, without those of the functions in it and of templates.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
const functionLength = {
  meta: {
    type: 'suggestion',
    schema: [
      {
        type: 'object',
        properties: { own: { type: 'number' }, whole: { type: 'number' } },
        additionalProperties: false,
      },
    ],
    messages: {
      own: 'This function has {{lines}} lines of its own; at most {{most}} are allowed.',
      whole: 'This function has {{lines}} lines; at most {{most}} are allowed.',
    },
  },
  create(context) {
    /** @type {{ own: number, whole: number }} */
    const { own, whole } = context.options[0]
    /** @type {number[]} Lines that are not the function's own; for each function that is open, innermost last. */
    const others = []
    let templates = 0
    const add = (/** @type {number} */ lines) => {
      const last = others.length - 1
      if (last >= 0) others[last] = (others[last] ?? 0) + lines
    }
    return {
      ':function': () => void others.push(0),
      /** @param {import("eslint").Rule.Node} node */
      ':function:exit'(node) {
        const lines = linesOf(node)
        const left = lines - (others.pop() ?? 0)
        if (templates === 0) add(lines)
        if (left > own)
          context.report({ node, messageId: 'own', data: { lines: `${left}`, most: `${own}` } })
        if (lines > whole)
          context.report({
            node,
            messageId: 'whole',
            data: { lines: `${lines}`, most: `${whole}` },
          })
      },
      TemplateLiteral(node) {
        if (templates++ === 0) add(linesOf(node) - 1)
      },
      'TemplateLiteral:exit': () => void templates--,
    }
  },
}

const shortWaits = ['waitFor', 'waitUntil'].map((property) => {
  const message = 'It gives up after a second, which a busy machine may need. Use expect.poll.'
  return { object: 'vi', property, message }
})

export default defineConfig(
  { ignores: ['dist/', 'data/', 'coverage/', 'node_modules/', '.cache/', 'bench/results/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-else-return': 'error',
      'no-control-regex': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      // Our methods are closures in object literals: there is no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      // A constructor that takes fewer arguments than its base is not useless.
      '@typescript-eslint/no-useless-constructor': 'off',
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // `import('pg')` as a type is how a package that loads on first use is named.
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { house: { rules: { 'function-length': functionLength } } },
    rules: {
      'house/function-length': ['error', { own: 45, whole: 180 }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'max-lines': ['error', 350],
      'max-params': ['error', 4],
      'no-restricted-globals': ['error', ...platformClock, ...hostOutput],
      'no-restricted-properties': ['error', ...platformTime, ...hostProcess, refusesUmlauts],
      'no-restricted-imports': ['error', backDoors],
      'no-restricted-syntax': ['error', ...nameless],
    },
  },
  {
    // The type of a checker is its table of fields.
    files: ['src/checkers/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // A table of fields or meters is read line by line.
    files: [
      'src/checkers/**/*.ts',
      'src/engine/registry/monitor-fields.ts',
      'src/metrics/counting.ts',
    ],
    rules: { 'house/function-length': ['error', { own: 90, whole: 110 }] },
  },
  {
    files: ['src/cli/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...platformClock],
      'no-restricted-properties': ['error', ...platformTime],
    },
  },
  {
    // A simulated clock lets what is ready run before it moves on.
    files: ['src/testing/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...platformClock.filter(({ name }) => name !== 'setImmediate'),
        ...hostOutput,
      ],
    },
  },
  {
    // Tests may be loose with types where they play a caller who makes mistakes.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...shortWaits],
      'no-control-regex': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['scripts/**/*.mjs', '*.config.js', '*.config.ts', 'examples/**'],
    rules: {
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
)
