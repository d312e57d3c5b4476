// Chooses one of the six languages; each is written in its own words.
import { ActionIcon, Menu } from '@mantine/core';
import { IconCheck, IconLanguage } from '@tabler/icons-react';
import { currentLanguage, useTexts } from '../texts.ts';
import { LANGUAGES, LOCALE, languageNames } from '../languages.ts';
import { chooseLanguage } from '../session.ts';

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
  return LANGUAGES.map((language) => (
    <Menu.Item
      key={language}
      lang={LOCALE[language]}
      role="menuitemradio"
      aria-checked={language === chosen}
      rightSection={language === chosen ? <IconCheck size={16} stroke={1.75} /> : undefined}
      onClick={() => void chooseLanguage(language)}
    >
      {languageNames[language]}
    </Menu.Item>
  ));
}
