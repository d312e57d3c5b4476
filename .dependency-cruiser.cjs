// Import boundaries: layers, entry points, server and web halves, wiring. scripts/boundaries.test.ts
// proves each rule on a planted violation; ARCHITECTURE.md describes the structure.

/** An area may import entry points of lower layers only, never of its own layer or a higher one. */
const layers = require('./areas/layers.json');

/** contract.ts, or one of several: settings-contract.ts. */
const CONTRACT = '^areas/[^/]+/[a-z-]*contract\\.ts$';
const TESTS = '\\.test\\.tsx?$';
/** Tests, benchmarks and their helpers may import everything. */
const OUTSIDE = '^(testing|e2e|bench|faults|scripts)/';
const WEB = '^(areas/[^/]+/web|platform/web|main/web-client|embed)/';
const SERVER = '^(areas/[^/]+/server|platform/server|providers)/|^main/[^/]+\\.ts$';

const looksDown = layers.flatMap((areas, layer) =>
  areas.map((area) => {
    const others = layers
      .slice(layer)
      .flat()
      .filter((other) => other !== area);
    return {
      name: 'layers',
      comment: `${area} (layer ${layer + 1}) looks down only: not at its own layer, not upward.`,
      severity: 'error',
      from: { path: `^areas/${area}/`, pathNot: [TESTS, CONTRACT] },
      to: { path: `^areas/(${others.join('|')})/` },
    };
  }),
);

module.exports = {
  forbidden: [
    ...looksDown,
    {
      name: 'known-area',
      comment: 'Every area has a layer: add it to areas/layers.json.',
      severity: 'error',
      from: {},
      to: { path: '^areas/', pathNot: `^areas/(${layers.flat().join('|')})/` },
    },
    {
      name: 'doors',
      comment:
        'An area imports from another area only server/index.ts, server/<folder>/index.ts, server/tables.ts, web/index.ts and its top-level files.',
      severity: 'error',
      from: { path: '^areas/([^/]+)/', pathNot: TESTS },
      to: {
        path: '^areas/',
        pathNot: [
          '^areas/$1/',
          '^areas/[^/]+/(server/(index|tables|[a-z-]+/index)\\.ts|web/index\\.tsx?|[a-z-]+\\.ts)$',
        ],
      },
    },
    {
      name: 'web-without-server',
      comment: 'Web halves never import server halves.',
      severity: 'error',
      from: { path: WEB, pathNot: TESTS },
      to: { path: SERVER },
    },
    {
      name: 'server-without-web',
      comment: 'Server halves never import web halves.',
      severity: 'error',
      from: { path: SERVER, pathNot: [TESTS, '^main/(client-build|dev)\\.ts$'] },
      to: { path: WEB, pathNot: '^(platform/web/theme/tokens\\.ts$|embed/[^/]+/shared/)' },
    },
    {
      name: 'contracts-as-types-in-web',
      comment:
        'Contracts bring zod along: web halves take their types only, constants from shared.ts.',
      severity: 'error',
      from: { path: WEB, pathNot: TESTS },
      to: {
        path: `(${CONTRACT}|^platform/contract\\.ts$|node_modules/zod/)`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'contracts',
      comment: 'A contract imports contracts, shared files and what all contracts are made of.',
      severity: 'error',
      from: { path: CONTRACT },
      to: {
        pathNot:
          '(^areas/[^/]+/[a-z-]+\\.ts$|^platform/[^/]+\\.ts$|^embed/[^/]+/shared/)|node_modules/(zod|@types)/',
      },
    },
    {
      name: 'shared-files',
      comment: 'Files of both halves (shared.ts …) reach the page’s first chunk: no zod, no half.',
      severity: 'error',
      from: { path: '^areas/[^/]+/[a-z-]+\\.ts$', pathNot: [TESTS, CONTRACT] },
      to: { path: '(contract\\.ts$|node_modules/zod/|/(server|web)/)' },
    },
    {
      name: 'platform-knows-no-area',
      severity: 'error',
      from: { path: '^platform/', pathNot: TESTS },
      to: { path: '^(areas|providers|main|embed)/' },
    },
    {
      name: 'providers-only-from-main',
      comment: 'Only main/ knows which provider runs.',
      severity: 'error',
      from: { path: '^(areas|platform|embed)/', pathNot: TESTS },
      to: { path: '^providers/' },
    },
    {
      name: 'providers-know-interfaces',
      comment: 'A provider implements the interface of an area: its door or its provider file.',
      severity: 'error',
      from: { path: '^providers/', pathNot: TESTS },
      to: {
        path: '^(areas|main|embed)/',
        pathNot: [
          '^areas/[^/]+/(server/(index|[a-z-]*provider|[a-z-]+/index)\\.ts|[a-z-]+\\.ts)$',
          '^areas/[^/]+/server/[^/]+/[a-z-]*provider\\.ts$',
        ],
      },
    },
    {
      name: 'main-is-the-top',
      severity: 'error',
      from: { path: '^(areas|platform|providers|embed)/', pathNot: TESTS },
      to: { path: '^main/' },
    },
    {
      name: 'test-kit-in-tests',
      comment: 'The product does not stand on its test kit.',
      severity: 'error',
      from: {
        pathNot: [TESTS, OUTSIDE, '^platform/web/shell/test-[^/]+\\.tsx$', '^vitest[^/]*\\.ts$'],
      },
      to: { path: '(^testing/|node_modules/(vitest|fast-check|playwright-core)/)' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(areas|platform|providers|main|embed)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: '^(areas|platform|providers|main|embed|testing)/' },
      // The numfmt package lists type files it does not contain; Node and the compiler resolve it.
      to: { couldNotResolve: true, pathNot: '\\.(css|woff2)|^numfmt$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
