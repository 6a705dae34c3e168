#pragma once
#include <cjose/cjose.h>
// cjose reads no PEM: OpenSSL, on which it is built, does.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

// Never asks for a password on the terminal, as OpenSSL would by itself.
static inline int keyrack_no_password(char *buffer, int size, int rwflag, void *context) {
    (void)buffer, (void)size, (void)rwflag, (void)context;
    return -1;
}
