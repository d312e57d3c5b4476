// The menu of the test tools: each tool opens in a new browser tab, the tour in the current tab.
// Loaded on first use.
import { IconFlask, IconMapRoute } from '@tabler/icons-react';
import { useOpenedFrom } from '../hooks/use-opened-from.ts';
import { useTexts } from '../texts/texts.ts';
import { MenuEntry, MenuLine, MenuOrSheet } from '../ui/menu-or-sheet.tsx';
import { TOOL_ICONS, TOOL_PATHS, useTestTools } from '../ui/test-tools.tsx';
import { MenuButton } from './menu-button.tsx';

const ICON = { size: 18, stroke: 1.75 };

export default function TestToolsMenu() {
  const t = useTexts('platform');
  const { button, isOpen, setOpen } = useOpenedFrom();
  return (
    <MenuOrSheet
      isOpen={isOpen}
      onChange={setOpen}
      target={<MenuButton ref={button} icon={IconFlask} text={t('tools.title')} />}
      label={t('tools.title')}
      width={240}
      position="top-start"
    >
      {useTestTools().map((tool) => {
        const Icon = TOOL_ICONS[tool];
        return (
          <MenuEntry
            key={tool}
            icon={<Icon {...ICON} />}
            run={() => void window.open(TOOL_PATHS[tool], '_blank')}
          >
            {t(`tools.${tool}`)}
          </MenuEntry>
        );
      })}
      <MenuLine />
      <MenuEntry icon={<IconMapRoute {...ICON} />} to="/test-tools">
        {t('tools.tour')}
      </MenuEntry>
    </MenuOrSheet>
  );
}
