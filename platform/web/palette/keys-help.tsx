// The list of keyboard shortcuts, opened by `?`.
import { Kbd, Modal, Table } from '@mantine/core';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { useKeyShortcuts } from './keys.ts';
import { keysHelp, keysOpen } from './open.ts';
import { useOpened } from '../hooks/use-opened.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

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
    <Modal
      opened={useOpened(isOpen)}
      onClose={keysHelp.close}
      title={t('keys.title')}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <Table fz="sm" withRowBorders={false} aria-label={t('keys.title')}>
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
    </Modal>
  );
}
