import LatticeSession
import Testing

struct LaunchVariableTests {
    @Test(arguments: [
        (LaunchVariable(incarnation: 1, token: [0x00, 0x0f, 0xff]), "1:000fff"),
        (LaunchVariable(incarnation: .max, token: [0xab]), "18446744073709551615:ab"),
    ])
    func isReadAsItWasWritten(variable: LaunchVariable, text: String) {
        #expect(variable.text == text)
        #expect(LaunchVariable(text) == variable)
    }

    @Test(arguments: [
        "", ":", "1", "1:", "1:0", "1:0g", ":00", "-1:00", "x:00", "18446744073709551616:00", "1:00:00", "1: 0", "1:+1",
        "1:é", "1:0é0",
    ])
    func invalidVariablesAreRefused(text: String) {
        #expect(LaunchVariable(text) == nil)
    }
}
