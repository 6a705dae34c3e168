#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic (and macros), which Swift cannot call.
static inline CURLcode keyrack_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode keyrack_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode keyrack_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode keyrack_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
typedef size_t (*keyrack_curl_write_callback)(char *, size_t, size_t, void *);
static inline CURLcode keyrack_curl_set_write(CURL *easy, CURLoption option, keyrack_curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}
typedef int (*keyrack_curl_prereq_callback)(void *, char *, char *, int, int);
static inline CURLcode keyrack_curl_set_prereq(CURL *easy, keyrack_curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode keyrack_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode keyrack_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode keyrack_curl_get_private(CURL *easy, void **value) {
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}
static inline CURLcode keyrack_curl_message_result(CURLMsg *message) { return message->data.result; }
