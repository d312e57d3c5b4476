// The server's texts for visitors, in the form's language. Polish and Spanish are languages of
// forms only, so their texts are here and not in the locale files.
import { ISO, type FormLanguage } from '#embed/forms/shared/document.ts';
import { DIRECTION, isLanguage } from '#platform/languages.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';

const OWN: Record<'pol' | 'spa', Record<string, string>> = {
  pol: {
    'site.close': 'Zamknij',
    'site.failed': 'Nie udało się wysłać. Spróbuj ponownie za chwilę.',
    'site.closed': 'Ten formularz jest zamknięty.',
    'site.lost': 'Tym razem bez nagrody. Dziękujemy za zapis.',
    'site.spun': 'Ten adres już brał udział',
    'site.spunText': 'Z jednego adresu można zakręcić raz.',
    'site.spunMailed': 'Z jednego adresu można zakręcić raz. Wygraną wysłaliśmy e-mailem.',
    'site.confirm': 'Jeszcze jeden krok',
    'site.confirmText':
      'Wysłaliśmy Ci link. Potwierdź adres: jeśli wygrasz, nagroda przyjdzie e-mailem.',
    'mail.subject': 'Potwierdź zapis',
    'mail.heading': 'Jeszcze jeden krok',
    'mail.text':
      'Ktoś zapisał ten adres na wiadomości od {{company}}. Jeśli to Ty, potwierdź to tutaj.',
    'mail.button': 'Potwierdź',
    'mail.note': 'Jeśli to nie Ty, zignoruj tę wiadomość: niczego nie wyślemy.',
    'mail.prizeSubject': 'Twoja nagroda z koła',
    'mail.prizeHeading': 'Wygrana',
    'mail.prizeText': 'Oto Twój kod od {{company}}. Użyj go przy zamówieniu.',
    'mail.prizeNote': 'Otrzymujesz tę wiadomość, bo z tego adresu zakręcono kołem.',
    'confirm.heading': 'Potwierdź zapis',
    'confirm.text': 'Naciśnij przycisk, aby otrzymywać nasze wiadomości.',
    'confirm.button': 'Potwierdź',
    'confirm.done': 'Dziękujemy, jesteś na liście',
    'confirm.doneText': 'Zapis jest potwierdzony.',
    'confirm.expired': 'Ten link wygasł',
    'confirm.expiredText': 'Zapisz się jeszcze raz, aby otrzymać nowy.',
  },
  spa: {
    'site.close': 'Cerrar',
    'site.failed': 'No se ha podido enviar. Inténtalo de nuevo en un momento.',
    'site.closed': 'Este formulario está cerrado.',
    'site.lost': 'Esta vez no hay premio. Gracias por suscribirte.',
    'site.spun': 'Esta dirección ya ha participado',
    'site.spunText': 'Con cada dirección se gira una vez.',
    'site.spunMailed': 'Con cada dirección se gira una vez. Si hubo premio, está en tu correo.',
    'site.confirm': 'Un paso más',
    'site.confirmText':
      'Te hemos enviado un enlace. Confirma tu dirección: si ganas, el premio llegará a tu correo.',
    'mail.subject': 'Confirma tu suscripción',
    'mail.heading': 'Un paso más',
    'mail.text':
      'Alguien ha suscrito esta dirección a los correos de {{company}}. Si has sido tú, confírmalo aquí.',
    'mail.button': 'Confirmar',
    'mail.note': 'Si no has sido tú, ignora este correo: no te enviaremos nada.',
    'mail.prizeSubject': 'Tu premio de la ruleta',
    'mail.prizeHeading': 'Has ganado',
    'mail.prizeText': 'Este es tu código de {{company}}. Úsalo al pagar.',
    'mail.prizeNote': 'Recibes este correo porque con esta dirección se giró la ruleta.',
    'confirm.heading': 'Confirma tu suscripción',
    'confirm.text': 'Pulsa el botón para recibir nuestros correos.',
    'confirm.button': 'Confirmar',
    'confirm.done': 'Gracias, ya estás en la lista',
    'confirm.doneText': 'Tu suscripción está confirmada.',
    'confirm.expired': 'Este enlace ha caducado',
    'confirm.expiredText': 'Suscríbete otra vez para recibir uno nuevo.',
  },
};

export function formTexts(language: FormLanguage): ServerText {
  if (isLanguage(language)) return serverTexts('forms', language);
  const own = OWN[language];
  const english = serverTexts('forms', 'eng');
  return (key, values = {}) => {
    const text = own[key];
    if (text === undefined) return english(key, values);
    return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''));
  };
}

/** The HTML language and direction of a page in a form's language. */
export const pageLanguage = (language: FormLanguage): { lang: string; dir: 'ltr' | 'rtl' } => ({
  lang: ISO[language],
  dir: isLanguage(language) ? DIRECTION[language] : 'ltr',
});
