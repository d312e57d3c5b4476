// The list of keyboard shortcuts, opened by `?`.
import { Kbd, Table, Text } from '@mantine/core';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { useKeyShortcuts } from './keys.ts';
import { keysHelp, keysOpen } from './open.ts';
import { useOpened } from '../hooks/use-opened.ts';
import { Dialog } from '../ui/form-dialog.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

const COMMAND = isApple ? '⌘' : 'Ctrl';

/** Keys of the email editor, as its canvas handles them. */
const EDITOR_KEYS = [
  { keys: '↑ ↓', name: 'select' },
  { keys: 'Alt ↑ ↓', name: 'move' },
  { keys: 'Enter', name: 'open' },
  { keys: '/', name: 'insert' },
  { keys: `${COMMAND} D`, name: 'duplicate' },
  { keys: 'Delete', name: 'remove' },
  { keys: 'Esc', name: 'parent' },
  { keys: `${COMMAND} Z`, name: 'undo' },
  { keys: isApple ? '⌘ Shift Z' : 'Ctrl Y', name: 'redo' },
] as const;

/** Keys of the workflow builder's canvas. */
const BUILDER_KEYS = [
  { keys: '↑ ↓', text: 'keys.builder.select' },
  { keys: 'Enter', text: 'keys.builder.open' },
  { keys: 'Delete', text: 'keys.builder.remove' },
  { keys: 'Esc', text: 'keys.builder.cancel' },
  { keys: `${COMMAND} Z`, text: 'keys.editor.undo' },
  { keys: isApple ? '⌘ Shift Z' : 'Ctrl Y', text: 'keys.editor.redo' },
] as const;

export default function KeysHelp() {
  const t = useTexts('platform');
  const isOpen = useStore(keysOpen);
  const shortcuts = useKeyShortcuts();
  const rows = [
    { keys: isApple ? '⌘ K' : 'Ctrl K', label: t('palette.title') },
    { keys: '/', label: t('keys.search') },
    { keys: '?', label: t('keys.title') },
    { keys: 'Esc', label: t('keys.close') },
    ...shortcuts.map((shortcut) => ({ keys: shortcut.keys, label: t(shortcut.text) })),
  ];
  return (
    <Dialog opened={useOpened(isOpen)} onClose={keysHelp.close} title={t('keys.title')}>
      <Keys label={t('keys.title')} heading={t('keys.everywhere')} rows={rows} />
      <Keys
        label={t('keys.inEditor')}
        heading={t('keys.inEditor')}
        rows={EDITOR_KEYS.map(({ keys, name }) => ({ keys, label: t(`keys.editor.${name}`) }))}
      />
      <Keys
        label={t('keys.inBuilder')}
        heading={t('keys.inBuilder')}
        rows={BUILDER_KEYS.map(({ keys, text }) => ({ keys, label: t(text) }))}
      />
    </Dialog>
  );
}

interface KeysProps {
  label: string;
  heading: string;
  rows: { keys: string; label: string }[];
}

function Keys({ label, heading, rows }: KeysProps) {
  return (
    <>
      <Text component="h3" size="sm" fw={600} mt="md" mb={4}>
        {heading}
      </Text>
      <Table fz="sm" withRowBorders={false} aria-label={label}>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.keys + row.label}>
              <Table.Th scope="row" fw={400} ta="start">
                {row.label}
              </Table.Th>
              <Table.Td ta="end" dir="ltr">
                {row.keys.split(' ').map((key, index) => (
                  <Kbd key={index} ms={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
