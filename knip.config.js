import { cli, entries } from './scripts/entries.mjs'

/** @type {import('knip').KnipConfig} */
export default {
  entry: [
    ...entries.map(({ source }) => `${source}!`),
    `${cli.source}!`,
    'scripts/*.mjs',
    // Loaded by Stryker.
    'scripts/mutate/{vitest.config,warm-runner}.mjs',
    'examples/**/*.{ts,mts,mjs,js}',
    'bench/**/*.{ts,mjs}',
    'test/**/*.test.ts',
    // Found by name.
    'test/checkers/**/*.samples.ts',
    // Run as processes of their own, to be killed.
    'test/store/children/*.ts',
    'test/faults/*.ts',
    'test/bundles/webpack.mjs',
    // Compiled by scripts/package.mjs.
    'test/package/consumer.ts',
    'test/simulation/{run,break-rules}.ts',
    'test/faults/**/*-child.ts',
    'test/faults/**/children/*.ts',
  ],
  project: ['src/**/*.ts!', 'test/**/*.ts', 'scripts/**/*.{ts,mjs}', 'bench/**/*.{ts,mjs}'],
  ignoreDependencies: [
    // Called by path, so that no shell stands between (scripts/package.mjs, scripts/api-docs.mjs, test/bundles).
    ...['@arethetypeswrong/cli', 'publint', 'axe-core', 'typedoc', 'next', 'react', 'react-dom'],
    'postject',
    // In the text of apps that are written by test/examples/frameworks.ts.
    ...[
      '@fastify/formbody',
      '@fastify/multipart',
      '@nestjs/platform-fastify',
      'koa-bodyparser',
      'multer',
    ],
  ],
  ignoreBinaries: ['nsenter', 'openssl', 'ping', 'systemd-analyze', 'unshare'],
  // Parts of a contract are exported beside it, whether or not we name them ourselves.
  ignoreExportsUsedInFile: { interface: true, type: true },
}
