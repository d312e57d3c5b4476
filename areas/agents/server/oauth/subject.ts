/** The user who connects an assistant, and their account. */
export const subjectOf = (accountId: number, userId: number) => `${accountId}.${userId}`;
export const accountOf = (subject: string) => Number(subject.split('.', 1)[0]);
