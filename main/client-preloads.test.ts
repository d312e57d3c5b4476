import { expect, test } from 'vitest';
import { preloadsOf } from './client-preloads.ts';

const MANIFEST = {
  '../../areas/groups/web/groups-screen.tsx': {
    file: 'assets/groups.js',
    imports: ['_shell.js', '_table.js'],
    css: ['assets/groups.css'],
  },
  '_table.js': { file: 'assets/table.js', imports: ['_shell.js'], css: ['assets/table.css'] },
  '_shell.js': { file: 'assets/shell.js', imports: [], css: ['assets/shell.css'] },
  '../../locales/eng/groups.json': { file: 'assets/groups-eng.js' },
  '../../locales/fas/groups.json': { file: 'assets/groups-fas.js' },
  '../../platform/web/catalogs/eng.ts': { file: 'assets/eng.js' },
};
const SHELL = new Set(['assets/shell.js', 'assets/shell.css']);
const SCREEN = { path: '/groups', source: 'areas/groups/web/groups-screen.tsx', texts: ['groups'] };

test('the preloads of a screen contain its modules, styles and texts per language, without the shell', () => {
  const [groups] = preloadsOf(MANIFEST, SHELL, [SCREEN]);
  expect(groups).toMatchObject({
    path: '/groups',
    scripts: ['assets/groups.js', 'assets/table.js'],
    styles: ['assets/groups.css', 'assets/table.css'],
    texts: { eng: ['assets/eng.js', 'assets/groups-eng.js'], fas: ['assets/groups-fas.js'] },
  });
});

test('a screen unknown to the build gets no preloads', () => {
  const missing = { ...SCREEN, source: 'areas/groups/web/gone-screen.tsx' };
  expect(preloadsOf(MANIFEST, SHELL, [missing])).toEqual([]);
});
