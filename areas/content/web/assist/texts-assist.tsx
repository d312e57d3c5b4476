// Rewrites and translates text: shows the request first, then suggestions beside the originals.
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconLanguage, IconSparkles } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { AssistDialog, type AssistProgress, suggestManyTexts } from '#areas/models/web/index.ts';
import { type Language, LANGUAGES } from '#platform/languages.ts';
import { useSession } from '#platform/web/session/session.ts';
import { languageNames } from '#platform/web/texts/languages.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { MAX_INSTRUCTION } from '#areas/models/shared.ts';
import { Comparison } from './comparison.tsx';
import { type EmailText, prepareTexts, type SuggestedText } from './email-texts.ts';

export interface TextsAssistProps {
  isWholeEmail?: boolean;
  /** Language of the email. */
  language: Language;
  read: () => EmailText[];
  accept: (changes: SuggestedText[]) => void;
  /** Applies the changes to a duplicate; this email is unchanged. */
  acceptInDuplicate?: ((changes: SuggestedText[], language: Language) => Promise<void>) | undefined;
}

type Task = 'rewrite' | 'translate';

export function TextsAssist({ isWholeEmail = false, ...props }: TextsAssistProps) {
  const t = useTexts('content');
  const [task, setTask] = useState<Task>();
  const titles = {
    rewrite: t('assist.rewrite'),
    translate: t(isWholeEmail ? 'assist.translateEmail' : 'assist.translate'),
  };
  return (
    <>
      <Group gap="xs">
        {!isWholeEmail && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconSparkles size={16} stroke={1.75} />}
            onClick={() => setTask('rewrite')}
          >
            {titles.rewrite}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconLanguage size={16} stroke={1.75} />}
          onClick={() => setTask('translate')}
        >
          {titles.translate}
        </Button>
      </Group>
      {task && (
        <TextsDialog title={titles[task]} task={task} close={() => setTask(undefined)} {...props} />
      )}
    </>
  );
}

interface TextsDialogProps extends Omit<TextsAssistProps, 'isWholeEmail'> {
  title: string;
  task: Task;
  close: () => void;
}

function TextsDialog({ title, task, close, language: emailLanguage, ...props }: TextsDialogProps) {
  const { read, accept, acceptInDuplicate } = props;
  const { user, account } = useSession();
  const preferredLanguages = [user.language, account.language, ...LANGUAGES];
  // The language of the email itself is not offered for translation.
  const target =
    task === 'translate' ? preferredLanguages.find((name) => name !== emailLanguage) : undefined;
  const [language, setLanguage] = useState(target ?? emailLanguage);
  const [instruction, setInstruction] = useState('');
  const t = useTexts('content');
  const [prepared] = useState(() => prepareTexts(read()));
  const run = async (is_confirmed: boolean, { signal, show }: AssistProgress) => {
    const { request, texts } = await suggestManyTexts(
      {
        ...{ task, texts: prepared.texts, language, instruction: instruction.trim() },
        ...{ is_confirmed, signal },
      },
      (done) => show(<Text>{t('assist.progress', { done, all: prepared.texts.length })}</Text>),
    );
    const use = (changes: SuggestedText[]) => {
      accept(changes);
      close();
    };
    const changes = texts ? prepared.combineReplies(texts) : [];
    const duplicate = acceptInDuplicate && {
      acceptInDuplicate: async (acceptedTexts: SuggestedText[]) => {
        await acceptInDuplicate(acceptedTexts, language);
        close();
      },
    };
    return {
      request,
      result: <Comparison changes={changes} accept={use} dismiss={close} {...duplicate} />,
    };
  };
  if (prepared.texts.length === 0)
    return (
      <Dialog opened onClose={close} title={title}>
        <Text>{t('assist.noTexts')}</Text>
      </Dialog>
    );
  return (
    <Suspense fallback={null}>
      <AssistDialog
        title={title}
        isOpen
        close={close}
        run={run}
        fields={
          <RequestFields
            language={language}
            setLanguage={setLanguage}
            instruction={instruction}
            setInstruction={setInstruction}
          />
        }
        fieldsKey={`${language} ${instruction.trim()}`}
      />
    </Suspense>
  );
}

interface RequestFieldsProps {
  language: Language;
  setLanguage: (language: Language) => void;
  instruction: string;
  setInstruction: (instruction: string) => void;
}

function RequestFields({ language, setLanguage, instruction, setInstruction }: RequestFieldsProps) {
  const t = useTexts('content');
  return (
    <>
      <NativeSelect
        label={t('assist.language')}
        value={language}
        data={LANGUAGES.map((value) => ({ value, label: languageNames[value] }))}
        onChange={(event) => {
          const nextLanguage = LANGUAGES.find((value) => value === event.currentTarget.value);
          if (nextLanguage) setLanguage(nextLanguage);
        }}
      />
      <TextInput
        label={t('assist.instruction')}
        placeholder={t('assist.instructionExample')}
        maxLength={MAX_INSTRUCTION}
        dir="auto"
        value={instruction}
        onChange={(event) => setInstruction(event.currentTarget.value)}
      />
    </>
  );
}
