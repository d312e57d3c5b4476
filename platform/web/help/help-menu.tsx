// The help menu opens the guide's page for the current screen, the guide, the API reference and,
// except on touch devices, the list of keyboard shortcuts. It is loaded on first use.
import { IconApi, IconBook, IconHelp, IconKeyboard } from '@tabler/icons-react';
import { MenuButton } from '../frames/menu-button.tsx';
import { useOpenedFrom } from '../hooks/use-opened-from.ts';
import { useTouch } from '../hooks/use-touch.ts';
import { keysHelp } from '../palette/open.ts';
import { useTexts } from '../texts/texts.ts';
import { MenuEntry, MenuLine, MenuOrSheet } from '../ui/menu-or-sheet.tsx';
import { openGuide } from './guide-pages.ts';

const ICON = { size: 18, stroke: 1.75 };
const openTab = (path: string) => void window.open(path, '_blank', 'noopener');

export default function HelpMenu() {
  const t = useTexts('platform');
  const isTouch = useTouch();
  const { button, isOpen, setOpen } = useOpenedFrom();
  return (
    <MenuOrSheet
      isOpen={isOpen}
      onChange={setOpen}
      target={<MenuButton ref={button} icon={IconHelp} text={t('help.title')} />}
      label={t('help.title')}
      width={240}
      position="top-start"
    >
      <MenuEntry icon={<IconHelp {...ICON} />} run={openGuide}>
        {t('help.screen')}
      </MenuEntry>
      <MenuEntry icon={<IconBook {...ICON} />} run={() => openTab('/guide/')}>
        {t('help.guide')}
      </MenuEntry>
      <MenuEntry icon={<IconApi {...ICON} />} run={() => openTab('/docs/v2/')}>
        {t('help.api')}
      </MenuEntry>
      {!isTouch && (
        <>
          <MenuLine />
          <MenuEntry icon={<IconKeyboard {...ICON} />} run={keysHelp.open}>
            {t('keys.title')}
          </MenuEntry>
        </>
      )}
    </MenuOrSheet>
  );
}
