#!/bin/sh
# Once: have git ask Keyrack for that host.
git config --global credential.https://git.example.org.helper keyrack

# From then on there is nothing to type.
git clone https://git.example.org/team/project.git
echo 'signed in once' >project/note
git -C project add note
git -C project commit --quiet --message 'Add a note'
git -C project push

# As another account of the same host.
git clone https://alice@git.example.org/alice/dots.git
