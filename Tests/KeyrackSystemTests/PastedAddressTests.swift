import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

@Suite struct PastedAddressTests {
  @Test(arguments: [
    ("https://127.0.0.1/cb?code=a%2Bb&state=s", "https://127.0.0.1:443/cb"),
    (" https://127.0.0.1/cb#code=a%2Bb&state=s\n", "https://127.0.0.1:443/cb"),
    ("https://127.0.0.1/cb?code=a%2Bb&state=s#_=_", "https://127.0.0.1:443/cb"),
    ("http://localhost:5?state=s&code=a%2Bb", "http://localhost:5/"), ("code=a%2Bb&state=s", nil),
    ("?code=a%2Bb&state=s", nil), ("#state=s&code=a%2Bb", nil), ("state=s&code=a%2Bb&iss=https://i", nil),
  ])
  func takesAnAddressOrItsParameters(text: String, base: String?) throws {
    let address = try PastedAddress(Secret(text))
    #expect(address.response.code == Secret("a+b"))
    #expect(address.response.state == "s")
    #expect(address.base == base)
  }

  @Test(arguments: [
    ("https://127.0.0.1/cb?code=hush", "state"), ("https://127.0.0.1/cb?state=hush", "code"), ("", "code"),
    ("hello", "code"), ("code=hush&code=hush&state=s", "twice"), ("code=%zz&state=s", "damaged"),
    ("http://[/?code=hush&state=s", "URL"), ("code=" + String(repeating: "hush", count: 5000) + "&state=s", "long"),
  ])
  func saysWhatIsMissingAndRepeatsNothing(text: String, word: String) {
    let error = #expect(throws: RedirectError.self) { try PastedAddress(Secret(text)) }
    #expect(error?.message.contains(word) == true)
    #expect("\(String(describing: error))".contains("hush") == false)
  }

  @Test(arguments: [
    ("http://localhost:5/?code=c&state=s", "http://localhost:5", true),
    ("https://127.0.0.1/?code=c&state=s", "https://127.0.0.1:443", true),
    ("http://localhost:5/a?code=c&state=s", "http://localhost:5/", false),
    ("http://localhost@evil.example:5/?code=c&state=s", "http://localhost:5/", false),
    ("https://evil.example/?code=c&state=s", "https://127.0.0.1/", false),
    ("code=c&state=s", "https://127.0.0.1/", true),
  ])
  func knowsWhoseItIs(text: String, redirectURI: String, isIt: Bool) throws {
    #expect(try PastedAddress(Secret(text)).isOf(redirectURI) == isIt)
  }
}
