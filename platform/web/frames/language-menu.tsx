// Chooses one of the six languages; each is written in its own words.
import { ActionIcon, Menu } from '@mantine/core';
import { IconCheck, IconLanguage } from '@tabler/icons-react';
import { currentLanguage, showLanguage, useTexts } from '../texts.ts';
import { languageNames, languages, locales } from '../languages.ts';

export function LanguageMenu() {
  const t = useTexts('platform');
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={t('shell.language')}>
          <IconLanguage size={18} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <LanguageItems />
      </Menu.Dropdown>
    </Menu>
  );
}

export function LanguageItems() {
  const chosen = currentLanguage();
  return languages.map((language) => (
    <Menu.Item
      key={language}
      lang={locales[language]}
      role="menuitemradio"
      aria-checked={language === chosen}
      rightSection={language === chosen ? <IconCheck size={16} stroke={1.75} /> : undefined}
      onClick={() => void showLanguage(language)}
    >
      {languageNames[language]}
    </Menu.Item>
  ));
}
