// Shows the delivery explanation in a dialog, for rows of subscribers and rows of a subscriber's
// history.
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import WhyPanel, { type WhyQuestion } from './why-panel.tsx';

export interface WhyDialogProps {
  question: WhyQuestion | undefined;
  /** Name of the subscriber. */
  name: string | null | undefined;
  close: () => void;
}

export default function WhyDialog({ question, name, close }: WhyDialogProps) {
  const t = useTexts('feedback');
  return (
    <Dialog
      opened={useOpened(question !== undefined)}
      onClose={close}
      size="lg"
      title={t('why.title', { name: name ? `\u2068${name}\u2069` : t('why.somebody') })}
    >
      {question && <WhyPanel question={question} />}
    </Dialog>
  );
}
