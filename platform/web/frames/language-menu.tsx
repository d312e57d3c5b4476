// Chooses one of the six languages; each is written in its own words.
import { ActionIcon, Menu } from '@mantine/core';
import { IconLanguage } from '@tabler/icons-react';
import { LANGUAGES, type Language, LOCALE, languageNames } from '../languages.ts';
import { chooseLanguage } from '../session.ts';
import { currentLanguage, useTexts } from '../texts.ts';

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
  return (
    <Menu.RadioGroup
      value={currentLanguage()}
      onChange={(language) => void chooseLanguage(language as Language)}
    >
      {LANGUAGES.map((language) => (
        <Menu.RadioItem key={language} value={language} lang={LOCALE[language]} closeMenuOnClick>
          {languageNames[language]}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
