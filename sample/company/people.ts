import type { NonEmpty, Random } from "../../src/core/random.js";

/** Someone who works for the company or for one of its contractors. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly mail: string;
}

const siteManagers: NonEmpty<Person> = [
  person(201, "Marta Quintana"),
  person(202, "Owen Fairbairn"),
  person(203, "Priya Raman"),
];
const surveyors: NonEmpty<Person> = [
  person(211, "Jonas Keller"),
  person(212, "Aisha Bello"),
  person(213, "Tomas Horvat"),
];
const foremen: NonEmpty<Person> = [
  person(221, "Diego Salvat"),
  person(222, "Lucia Ferrer"),
  person(223, "Ben Ashworth"),
  person(224, "Ioana Pop"),
  person(225, "Rui Carvalho"),
  person(226, "Karim Haddad"),
];
const inspectors: NonEmpty<Person> = [
  person(231, "Elena Vidal"),
  person(232, "Hannah Lindqvist"),
  person(233, "Samuel Adeyemi"),
  person(234, "Nadia Ilieva"),
];

/** The company's people by what they do. All of them are invented. */
export const people = { siteManagers, surveyors, foremen, inspectors } as const;

/** The id of one of the people in a group. */
export function oneOf(random: Random, group: NonEmpty<Person>): number {
  return random.pick(group).id;
}

// Numbers and the domain are reserved for fiction (RFC 2606; Ofcom's drama numbers).
function person(id: number, name: string): Person {
  const mailbox = name.toLowerCase().replaceAll(" ", ".");
  return { id, name, phone: `+44 1632 960${id}`, mail: `${mailbox}@helia-renewables.example` };
}
