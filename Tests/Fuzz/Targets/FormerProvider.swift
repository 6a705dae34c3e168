/// A provider whose private keys nobody has any more: what it has signed is all that will ever be signed by them.
enum FormerProvider {
  static let keys = #"""
    {"keys":[{"kty":"RSA","kid":"r1","n":"yuxailKLm1ahJ9ZUMuei3Yh80aFitJmbZOyEVYhU48sF6fsyMK8MEWEqI-4hYw57nveU\#
    HkjhVNHlZFMFgEDVERBxq9bpFecux917E406ISzjvP8o_YyMZt7WUWcIusKlqBq5hMdKoAvOfo8hykfEHiRNi9qDtckNrSWCmx7u4XkhuB\#
    RJcuBrcrDpoQjQaMsq3KM0JRPsZy33Q_GM0N9Rdn1CANUFsu5J6PQWAcw-0zCuaNmXpwI9hT0EVw6vsc2KhMaIzkQall2_21GwMe3srogr\#
    yxMZ06adI3ypSbrGx6b6AQDS-0dHx_LSdbploXYR4PnTswMbRnQVoBCFHCYJyQ","e":"AQAB"},{"kty":"EC","kid":"e1","crv":"\#
    P-256","x":"s_h5UqETOJSE0gZ0RTVHJnIlPDJCSWBN4ddHMFtjimM","y":"9mVfjF_GowsMATDidFJBjBsxcnWnMzxknfZj4x1c1V4"\#
    }]}
    """#

  /// The claims of its tokens.
  static let payload = #"""
    {"iss":"https://sso.example.org","sub":"248289761001","aud":"keyrack","exp":1800000300,"iat":1800000000,"n\#
    once":"n1"}
    """#

  /// By RS256, PS256 and ES256.
  static let tokens = [
    """
    eyJhbGciOiJSUzI1NiIsImtpZCI6InIxIn0.eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6IjI0ODI4OTc2MTAwMSIs\
    ImF1ZCI6ImtleXJhY2siLCJleHAiOjE4MDAwMDAzMDAsImlhdCI6MTgwMDAwMDAwMCwibm9uY2UiOiJuMSJ9.O5Qte8i68-8xvqOBBLpjXXq\
    7MuZiABsHTzjWeeh30nYEVeE2RkVBYjt8K-A_7_w_EhiP0KGP5_unIgnljfoIO8N_9oCvSYAG9Pzfv7TIlDCUssBphsO0ytg5EdRhiX7edqt\
    ZM1xhnohpNfnTsXJcrVclaCN7celEAzLLcIkPuSoqozJFUrUyGRZVXBV7Dn9_91bIyvXazhh-4Fv931zWpuzEw7uXSmf3JMbizCvqqUyUQUX\
    4r3tfTZ1YM55Y6rxKZrsNYuyZyzHhxyYlCdZswCNkgCkH1Wc1VXcQPfFwzK4BaPzMVZn1-VWpOhDCwK1DVomEIohWYZgxHmK4DmLyZw
    """,
    """
    eyJhbGciOiJQUzI1NiIsImtpZCI6InIxIn0.eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6IjI0ODI4OTc2MTAwMSIs\
    ImF1ZCI6ImtleXJhY2siLCJleHAiOjE4MDAwMDAzMDAsImlhdCI6MTgwMDAwMDAwMCwibm9uY2UiOiJuMSJ9.B39cibZWD4z2YfUcKLge-OK\
    Zy2xAjeb7Wl8fT15pjOBFKf92PJtv9yf_3b4-FeVxWzk7FdWngMwj5Xd-253DJLBAHLQMBZrVaDTiXTV7L18To_I6PONG5_dpZRXcMuAyDoR\
    wnZzbmE58Ir6bTXkN96FK5jMt2gjpIjgpgdT65o2os8lRl1jJXhgjPjmnXNg3H2dm5Q7BVGEBbJzkRTrpfX4FwXorAVbnTnYU5rn7xHTSGMR\
    7ruMm95_nebwvOP7gpqn6dAU3No2kKcC7EW7H9hsSps0qe7CYKxqMcZrTMcTdwLrlHS-hWi0dq2jjCZCqaaNUlYSS_eX5JoWa0IEGQA
    """,
    """
    eyJhbGciOiJFUzI1NiIsImtpZCI6ImUxIn0.eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6IjI0ODI4OTc2MTAwMSIs\
    ImF1ZCI6ImtleXJhY2siLCJleHAiOjE4MDAwMDAzMDAsImlhdCI6MTgwMDAwMDAwMCwibm9uY2UiOiJuMSJ9.Iq7ln2rc1HDlGyvB67PQ3hG\
    f6dLJLcSrHlO9Us6_WCEPTK32SaSPnVJ44aF6MPGMI8Pndn_0vit7VdCNDhuziQ
    """,
  ]
}
