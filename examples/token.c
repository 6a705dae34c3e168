/* Prints an access token: cc -o token token.c -ljansson && ./token work */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("KEYRACK_SOCKET"), *run = getenv("XDG_RUNTIME_DIR");
    if (path) snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    else snprintf(address.sun_path, sizeof address.sun_path, "%s/keyrack/keyrack.sock", run ? run : "");
    int daemon = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (argc < 2 || connect(daemon, (struct sockaddr *)&address, sizeof address) < 0) {
        perror(address.sun_path);
        return 7;
    }
    json_t *request = json_pack("{s:s, s:s}", "op", "token", "account", argv[1]);
    json_dumpfd(request, daemon, JSON_COMPACT);
    write(daemon, "\n", 1);
    json_t *reply = json_loadfd(daemon, JSON_DISABLE_EOF_CHECK, NULL);
    const char *token = json_string_value(json_object_get(reply, "access_token"));
    if (!token) {
        json_t *error = json_object_get(reply, "error");
        const char *code = json_string_value(json_object_get(error, "code"));
        fprintf(stderr, "%s: %s\n", code ? code : "no reply", json_string_value(json_object_get(error, "message")));
        return code && !strcmp(code, "login_required") ? 3 : 1;
    }
    puts(token);
}
