// A menu of the six languages, each listed by its native name.
import { ActionIcon } from '@mantine/core';
import { IconLanguage } from '@tabler/icons-react';
import { useState } from 'react';
import { LANGUAGES, type Language, LOCALE, languageNames } from '../texts/languages.ts';
import { chooseLanguage } from '../session/session.ts';
import { getCurrentLanguage, useTexts } from '../texts/texts.ts';
import { MenuChoices, MenuOrSheet } from '../ui/menu-or-sheet.tsx';

export function LanguageMenu() {
  const t = useTexts('platform');
  const [isOpen, setOpen] = useState(false);
  return (
    <MenuOrSheet
      isOpen={isOpen}
      onChange={setOpen}
      label={t('shell.language')}
      target={
        <ActionIcon aria-label={t('shell.language')}>
          <IconLanguage size={18} stroke={1.75} />
        </ActionIcon>
      }
    >
      <LanguageItems />
    </MenuOrSheet>
  );
}

export function LanguageItems({ title }: { title?: string }) {
  return (
    <MenuChoices
      {...(title === undefined ? {} : { title })}
      value={getCurrentLanguage()}
      choices={LANGUAGES.map((language) => ({
        value: language,
        label: languageNames[language],
        lang: LOCALE[language],
      }))}
      choose={(language) => void chooseLanguage(language as Language)}
    />
  );
}
