/** Formats the subject of a grant: the account and the user who connects an assistant. */
export const formatSubject = (accountId: number, userId: number) => `${accountId}.${userId}`;
export const parseSubject = (subject: string) => Number(subject.split('.', 1)[0]);
