/// id_tokens of ES256 that were signed once, for a provider whose keys are ``keys``: of the issuer `https://sso.example.org`
/// for the client `keyrack-test`, from 2023 to 2096, without a nonce.
enum SignedIDTokens {
  static let issuer = "https://sso.example.org"
  static let keys =
    #"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"k1","#
    + #""x":"7YcvvGA0rTkkrI1uBEOd8F7CrgmY4H58dZXoVvpcuo4","y":"mzdZj2ck6yMzSJjFCwdcKF_wG3F0qK-VgqHWL-NdqAo"}]}"#
  private static let header = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0."

  /// Of alice, and good.
  static let alice =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImFsaWNlIiwiYXVkIjoia2V5cmFj"
    + "ay10ZXN0IiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQwMDAwMDAwMDB9."
    + "MOkDwM84UDpwPAF8CQTDvQgtZ6l8xZvnhFxcd1iPGajCSVqag6qUAgRcP9Df6PzE41zV_IzOpJIROs5A3XGJ8g"

  /// Of bob.
  static let bob =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImJvYiIsImF1ZCI6ImtleXJhY2st"
    + "dGVzdCIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjo0MDAwMDAwMDAwfQ."
    + "ZE4C4OpWKymgaxh6_zPOZgF2OQFZlY05LZob4DvCCHduQ5seuyxsTcqb1xC1sIdVM8dl6gZi3GvreW4pTIdl2w"

  /// For `somebody-else`.
  static let otherClient =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImFsaWNlIiwiYXVkIjoic29tZWJv"
    + "ZHktZWxzZSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjo0MDAwMDAwMDAwfQ."
    + "m8I57vyYwdKIOatis-FYOyMGrdZv5sb5fXWGgHKf7wFkyHEWOimZJIVVKJ6OweQwUuInWX2V3pH2Chm08nVzDA"

  /// Of `https://evil.example.org`.
  static let otherIssuer =
    header + "eyJpc3MiOiJodHRwczovL2V2aWwuZXhhbXBsZS5vcmciLCJzdWIiOiJhbGljZSIsImF1ZCI6ImtleXJh"
    + "Y2stdGVzdCIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjo0MDAwMDAwMDAwfQ."
    + "nqBNGVA5W_Q19BuUO7z8w7j8Ajr7bUJCH-tL_NFfKK_UYl82ByoT0TO2YHAlOZtEvlF7TxlM-SqedrcaIoquNw"

  /// Its end was in 2023.
  static let expired =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImFsaWNlIiwiYXVkIjoia2V5cmFj"
    + "ay10ZXN0IiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDA2MDB9."
    + "Ry59BmeISUVJ4KAE1pkUxSt_wsjeFrIU3k8CwmKvnBXH7tDVKvvdHsRC19mYPJ5RWPbNJ8GtJZskccKF_LUKng"

  /// Issued in 2096.
  static let future =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImFsaWNlIiwiYXVkIjoia2V5cmFj"
    + "ay10ZXN0IiwiaWF0IjozOTk5OTk5MDAwLCJleHAiOjQwMDAwMDAwMDB9."
    + "BZTxHCMDaUqrlPSuGKGY4GUFCEOztUDH8qgmRolTAZdDaQtkiSa4qgCZV7ZMH7ZLtPh9jTnPEwGpsNk_BycVsQ"

  /// Signed with a key that is not the provider's.
  static let forged =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImFsaWNlIiwiYXVkIjoia2V5cmFj"
    + "ay10ZXN0IiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQwMDAwMDAwMDB9."
    + "Fv63ahnaUHLzlERnpjkMrJkgDGzTrgEzZKhB1sdO2cPSra1Ft6jdM3ZorohPcqgKgivSXNcxge_VVKJGSJWgLQ"

  /// With a nonce.
  static let nonce =
    header + "eyJpc3MiOiJodHRwczovL3Nzby5leGFtcGxlLm9yZyIsInN1YiI6ImFsaWNlIiwiYXVkIjoia2V5cmFj"
    + "ay10ZXN0IiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQwMDAwMDAwMDAsIm5vbmNlIjoibiJ9."
    + "9OFocVpFUFMnQBMqaf1k4CxduriiK5KH3fLCIzpGOW2R9m3wDOOPMDcB_IZ4HBxSGv_9cmy4YMA292OcFdoE-g"
}
