/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's natural domain, as it changes, in the spool. What a domain or map looks like is written once:
 * the same content again gets the number that it has, and of what changed only the pieces that did.
 *
 * Thread: any; rt_domains_init: the constructor.  Signal: not safe. */
#ifndef RT_DOMAINS_H
#define RT_DOMAINS_H

/* Hear the registry of domains and maps from now on, and be told what is there. After rt_registry_init. */
void rt_domains_init(void);

#endif
