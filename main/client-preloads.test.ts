// The files that each screen preloads, from the manifest of the built client.
import { expect, test } from 'vitest';
import { listPreloads } from './client-preloads.ts';

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

test('a screen’s preloads contain its modules, styles and catalogs per language, but not the shell', () => {
  const [groups] = listPreloads(MANIFEST, SHELL, [SCREEN]);
  expect(groups).toMatchObject({
    path: '/groups',
    scripts: ['assets/groups.js', 'assets/table.js'],
    styles: ['assets/groups.css', 'assets/table.css'],
    texts: { eng: ['assets/eng.js', 'assets/groups-eng.js'], fas: ['assets/groups-fas.js'] },
  });
});

test('a screen unknown to the build gets no preloads', () => {
  const missing = { ...SCREEN, source: 'areas/groups/web/gone-screen.tsx' };
  expect(listPreloads(MANIFEST, SHELL, [missing])).toEqual([]);
});

test('catalogs that several areas load together are one file per language', () => {
  const sharedChunks = {
    '_choosing-eng-1a.js': { file: 'assets/choosing-eng-1a.js', name: 'choosing-eng' },
    '_choosing-fas-1b.js': { file: 'assets/choosing-fas-1b.js', name: 'choosing-fas' },
  };
  const screen = { ...SCREEN, texts: ['groups', 'folders', 'segments'] };
  const [groups] = listPreloads({ ...MANIFEST, ...sharedChunks }, SHELL, [screen]);
  expect(groups?.texts).toMatchObject({
    eng: ['assets/eng.js', 'assets/groups-eng.js', 'assets/choosing-eng-1a.js'],
    fas: ['assets/groups-fas.js', 'assets/choosing-fas-1b.js'],
  });
});

test('an editor preloads its parts, side panels only for wide windows, and nothing used later', () => {
  const modules = ['composing/document-editor', 'inspector/inspector', 'editing/rich/rich-editor'];
  const [document = '', inspector = '', text = ''] = modules.map((module) =>
    module.startsWith('editing') ? `platform/web/${module}.tsx` : `areas/content/web/${module}.tsx`,
  );
  const manifest = {
    ...MANIFEST,
    '../../areas/campaigns/web/design-screen.tsx': { file: 'assets/design.js' },
    [`../../${document}`]: { file: 'assets/document.js', imports: ['_table.js'] },
    [`../../${inspector}`]: { file: 'assets/inspector.js', imports: ['_table.js'] },
    [`../../${text}`]: { file: 'assets/rich-editor.js' },
  };
  const source = 'areas/campaigns/web/design-screen.tsx';
  const path = '/campaigns/$campaign/editor';
  const [editor] = listPreloads(manifest, SHELL, [{ path, source, texts: [] }]);
  expect(editor).toMatchObject({
    scripts: ['assets/design.js', 'assets/document.js', 'assets/table.js'],
    wide: ['assets/inspector.js'],
  });
});
